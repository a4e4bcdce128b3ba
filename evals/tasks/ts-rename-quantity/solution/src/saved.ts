import type { Basket, Line } from './types.ts';

export const stringify = (basket: Basket): string => JSON.stringify(basket);

/** Baskets that were saved before say `qty`. */
export function parse(text: string): Basket {
  const lines = JSON.parse(text) as (Omit<Line, 'quantity'> & { quantity?: number; qty?: number })[];
  return lines
    .map(({ qty, quantity = qty ?? 0, ...line }) => ({ ...line, quantity }))
    .filter(({ quantity }) => quantity > 0);
}
