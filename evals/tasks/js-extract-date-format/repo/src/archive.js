function pad(number) {
  return String(number).padStart(2, '0');
}

function isoDay(date) {
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}

/** Where a document is kept: "2026/2026-03-04-01-minutes.pdf". */
export function archivePath(date, count, name) {
  return `${date.getUTCFullYear()}/${isoDay(date)}-${pad(count)}-${name}`;
}
