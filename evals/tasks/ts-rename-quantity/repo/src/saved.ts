import type { Basket, Line } from './types.ts';

export const stringify = (basket: Basket): string => JSON.stringify(basket);

export function parse(text: string): Basket {
  const lines = JSON.parse(text) as Line[];
  return lines.filter((line) => line['qty'] > 0);
}
