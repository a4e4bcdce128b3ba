import { find, packPrice } from './catalog.js';

/** Lines of an offer, and their sum in cents. Unknown parts are an error. */
export function offer(wishes) {
  const lines = wishes.map(({ sku, count }) => ({ name: find(sku).name, count, cents: packPrice(sku, count) }));
  return { lines, cents: lines.reduce((sum, line) => sum + line.cents, 0) };
}
