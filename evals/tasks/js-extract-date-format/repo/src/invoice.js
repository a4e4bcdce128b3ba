const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

function pad(number) {
  return String(number).padStart(2, '0');
}

function isoDay(date) {
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}

function readableDay(date) {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** Number and due day of an invoice. */
export function invoiceHead(count, date) {
  const due = new Date(date.getTime() + 14 * 24 * 60 * 60 * 1000);
  return { number: `${isoDay(date)}/${pad(count)}`, due: readableDay(due) };
}
