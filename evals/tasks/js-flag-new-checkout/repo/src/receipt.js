import { isOn } from './flags.js';
import { checkout } from './checkout.js';

export function receipt(lines) {
  const { due } = checkout(lines);
  if (isOn('newCheckout')) {
    return `Total: ${(due / 100).toFixed(2)}`;
  } else {
    return `TOTAL ${due}`;
  }
}
