const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

function pad(number) {
  return String(number).padStart(2, '0');
}

function isoDay(date) {
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}

// The calendar has little room: months are cut to three letters and the year is left out.
function readableDay(date) {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()].slice(0, 3)}`;
}

/** Lines of a calendar, oldest first. */
export function calendarLines(events) {
  return [...events]
    .sort((a, b) => isoDay(a.date).localeCompare(isoDay(b.date)))
    .map((event) => `${readableDay(event.date)}  ${event.name}`);
}
