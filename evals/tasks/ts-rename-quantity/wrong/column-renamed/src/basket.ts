import type { Basket, Line } from './types.ts';

export const total = (basket: Basket): number => basket.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0);

/** One more of it; `quantity` at a time. */
export function put(basket: Basket, line: Omit<Line, 'quantity'>, quantity = 1): Basket {
  const found = basket.find(({ title }) => title === line.title);
  if (!found) return [...basket, { ...line, quantity }];
  return basket.map((each) => (each === found ? { ...each, quantity: each.quantity + quantity } : each));
}
