import { checkout } from './checkout.js';

export function receipt(lines) {
  const { due } = checkout(lines);
  return `Total: ${(due / 100).toFixed(2)}`;
}
