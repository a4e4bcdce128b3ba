import { parseDuration } from './duration.js';

/** The entries that are younger than the retention, oldest first. */
export function keep(entries, retention, now) {
  const limit = now - parseDuration(retention);
  return entries.filter((entry) => entry.at >= limit).sort((a, b) => a.at - b.at);
}
