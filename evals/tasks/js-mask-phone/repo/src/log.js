import { maskEmail, maskName } from './mask.js';

/** A line for the log about a customer. */
export function writeLine(event, customer) {
  return `${event}: ${maskName(customer.name)} <${maskEmail(customer.email)}>`;
}
