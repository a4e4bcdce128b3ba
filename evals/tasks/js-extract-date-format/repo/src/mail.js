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

/** The text of an invitation. */
export function invitation(member, event) {
  return `Dear ${member.name},\nplease come on ${readableDay(event.date)}.\n[${isoDay(event.date)}]`;
}
