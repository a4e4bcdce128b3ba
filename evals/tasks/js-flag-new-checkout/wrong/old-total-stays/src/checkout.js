import { isOn } from './flags.js';
import { total } from './total.js';

export function checkout(lines, { card } = {}) {
  const due = total(lines);
  const steps = ['address'];
  if (isOn('giftCards') && card) steps.push('card');
  steps.push('pay');
  return { due, steps };
}
