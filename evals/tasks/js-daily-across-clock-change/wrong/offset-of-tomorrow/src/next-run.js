import { offsetMs, wallClock } from './zone.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The next instant after `now` at which a daily job runs. */
export function nextRun({ hour, minute, zone }, now) {
  const offset = offsetMs(now, zone);
  const { year, month, day } = wallClock(now, zone);
  const today = Date.UTC(year, month - 1, day, hour, minute) - offset;
  const next = today > now ? today : today + DAY_MS;
  return next + offset - offsetMs(next, zone);
}
