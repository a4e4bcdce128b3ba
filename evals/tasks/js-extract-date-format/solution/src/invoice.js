import { isoDay, pad, readableDay } from './dates.js';

/** Number and due day of an invoice. */
export function invoiceHead(count, date) {
  const due = new Date(date.getTime() + 14 * 24 * 60 * 60 * 1000);
  return { number: `${isoDay(date)}/${pad(count)}`, due: readableDay(due) };
}
