import { isoDay, readableDay } from './dates.js';

export function calendarLines(events) {
  return [...events]
    .sort((a, b) => isoDay(a.date).localeCompare(isoDay(b.date)))
    .map((event) => `${readableDay(event.date)}  ${event.name}`);
}
