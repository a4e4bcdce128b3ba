import type { Basket, Line } from './types.ts';

export const stringify = (basket: Basket): string => JSON.stringify(basket);

/** Baskets that were saved before say `qty`. */
export function parse(text: string): Basket {
  const lines = JSON.parse(text) as (Omit<Line, 'quantity'> & { quantity?: number; qty?: number })[];
  return lines
    .map((line) => ({ ...line, quantity: line.quantity ?? line.qty ?? 0 }))
    .filter(({ quantity }) => quantity > 0);
}
