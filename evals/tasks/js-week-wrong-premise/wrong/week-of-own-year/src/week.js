const DAY_MS = 24 * 60 * 60 * 1000;

function readDate(text) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) throw new Error(`not a date: ${text}`);
  return new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
}

/** The Thursday of the week that a date is in: its year is the year of the week. */
function thursdayOf(date) {
  const weekday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() + (3 - weekday) * DAY_MS);
}

/** The ISO 8601 week of a date such as "2026-05-04". */
export function isoWeek(text) {
  const thursday = thursdayOf(readDate(text));
  const first = Date.UTC(readDate(text).getUTCFullYear(), 0, 1);
  return Math.max(1, Math.floor((thursday.getTime() - first) / (7 * DAY_MS)) + 1);
}

/** The ISO 8601 year of that week, which may differ from the date's year around New Year. */
export function isoWeekYear(text) {
  return thursdayOf(readDate(text)).getUTCFullYear();
}
