import { isOn } from './flags.js';
import { oldTotal, total } from './total.js';

export function checkout(lines, { card } = {}) {
  const due = isOn('newCheckout') ? total(lines) : oldTotal(lines);
  const steps = ['address'];
  if (!isOn('newCheckout')) {
    steps.push('account');
  }
  if (isOn('giftCards') && card) steps.push('card');
  steps.push('pay');
  return { due, steps };
}
