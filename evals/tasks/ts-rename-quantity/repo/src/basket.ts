import type { Basket, Line } from './types.ts';

export const total = (basket: Basket): number => basket.reduce((sum, { cents, qty }) => sum + cents * qty, 0);

/** One more of it; `qty` at a time. */
export function put(basket: Basket, line: Omit<Line, 'qty'>, qty = 1): Basket {
  const found = basket.find(({ title }) => title === line.title);
  if (!found) return [...basket, { ...line, qty }];
  return basket.map((each) => (each === found ? { ...each, qty: each.qty + qty } : each));
}
