import { offsetMs, wallClock } from './zone.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The next instant after `now` at which a daily job runs: at its time on the wall of its zone. */
export function nextRun({ hour, minute, zone }, now) {
  const { year, month, day } = wallClock(now, zone);
  for (let days = 0; ; days += 1) {
    const at = instantOf(Date.UTC(year, month - 1, day + days, hour, minute), zone);
    if (at > now) return at;
  }
}

/** The first instant at which the clock shows this time (given as if it were UTC); in a gap the moment after it. */
function instantOf(wallMs, zone) {
  const offsets = [offsetMs(wallMs - DAY_MS, zone), offsetMs(wallMs + DAY_MS, zone)];
  const fits = offsets.map((offset) => wallMs - offset).filter((at) => at + offsetMs(at, zone) === wallMs);
  if (fits.length > 0) return Math.min(...fits);
  return endOfGap(wallMs - Math.max(...offsets), wallMs - Math.min(...offsets), zone);
}

/** The instant between two at which the offset changes. */
function endOfGap(from, to, zone) {
  const before = offsetMs(from, zone);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}
