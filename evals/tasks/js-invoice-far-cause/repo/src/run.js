import { formatInvoice } from './format.js';
import { settingsFor } from './settings/customer.js';
import { totalOf } from './total.js';

/** The invoices of all customers as text, in their order. */
export function runInvoices(customers) {
  return customers.map((customer) => {
    const settings = settingsFor(customer);
    return formatInvoice(customer.name, totalOf(customer.items, settings.tax), settings.money);
  });
}
