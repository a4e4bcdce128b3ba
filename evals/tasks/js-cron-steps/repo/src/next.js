import { parseCron } from './cron.js';

const MINUTE = 60_000;

/** Whether the job is due in this minute (UTC). */
export function isDue(cron, date) {
  const [minutes, hours, days, months, weekdays] = cron;
  return (
    minutes.has(date.getUTCMinutes()) &&
    hours.has(date.getUTCHours()) &&
    days.has(date.getUTCDate()) &&
    months.has(date.getUTCMonth() + 1) &&
    weekdays.has(date.getUTCDay())
  );
}

/** The first time after `after` at which the job is due, within a year; null when there is none. */
export function nextRun(text, after) {
  const cron = parseCron(text);
  let time = Math.floor(after.getTime() / MINUTE) * MINUTE;
  for (let i = 0; i < 366 * 24 * 60; i += 1) {
    time += MINUTE;
    if (isDue(cron, new Date(time))) return new Date(time);
  }
  return null;
}
