import { isoDay, pad } from './dates.js';

export function archivePath(date, count, name) {
  return `${date.getUTCFullYear()}/${isoDay(date)}-${pad(count)}-${name}`;
}
