import { formatMoney } from './money.js';

export function formatInvoice(name, cents, money) {
  return `${name}: ${formatMoney(cents, money)}`;
}
