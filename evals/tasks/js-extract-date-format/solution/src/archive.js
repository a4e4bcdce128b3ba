import { isoDay, pad } from './dates.js';

/** Where a document is kept: "2026/2026-03-04-01-minutes.pdf". */
export function archivePath(date, count, name) {
  return `${date.getUTCFullYear()}/${isoDay(date)}-${pad(count)}-${name}`;
}
