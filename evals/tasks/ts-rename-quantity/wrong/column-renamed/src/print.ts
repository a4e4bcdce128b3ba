import type { Basket } from './types.ts';

export function print(basket: Basket): string {
  const rows = basket.map((line) => `${String(line.quantity).padStart(3)} ${line.title}`);
  return ['quantity title', ...rows].join('\n');
}
