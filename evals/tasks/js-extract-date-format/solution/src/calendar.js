import { MONTHS, isoDay } from './dates.js';

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
