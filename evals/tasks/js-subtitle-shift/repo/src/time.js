/** The milliseconds of a time like `01:02:03,450`. */
export function parseTime(text) {
  const match = /^(\d{2}):(\d{2}):(\d{2}),(\d{3})$/.exec(text);
  if (!match) throw new Error(`not a time: ${text}`);
  const [hours, minutes, seconds, millis] = match.slice(1).map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis;
}

const pad = (number, length = 2) => String(number).padStart(length, '0');

/** The time of a number of milliseconds. */
export function formatTime(ms) {
  const seconds = Math.trunc(ms / 1000);
  const minutes = Math.trunc(seconds / 60);
  return `${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}:${pad(seconds % 60)},${pad(ms % 1000, 3)}`;
}
