const UNITS_MS = {
  ms: 1,
  s: 1000,
  m: 60 * 1000,
  h: 60 * 60 * 1000,
};

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)/gy;

/**
 * Reads a duration such as "90s", "1h 30m" or "250ms" and returns milliseconds.
 * Throws when the text is no duration.
 */
export function parseDuration(text) {
  const source = text.trim().toLowerCase();
  if (source === '') throw new Error('duration is empty');
  const days = /^(\d+)d$/.exec(source);
  if (days) return Number(days[1]) * 86_400_000;
  let total = 0;
  let position = 0;
  PART.lastIndex = 0;
  while (position < source.length) {
    PART.lastIndex = position;
    const match = PART.exec(source);
    if (!match) throw new Error(`not a duration: ${text}`);
    const [whole, amount, unit] = match;
    if (!(unit in UNITS_MS)) throw new Error(`unknown unit: ${unit}`);
    total += Number(amount) * UNITS_MS[unit];
    position += whole.length;
    while (source[position] === ' ') position += 1;
  }
  return total;
}

/** Writes milliseconds in the largest units that fit: 5400000 is "1h 30m". */
export function formatDuration(milliseconds) {
  let rest = milliseconds;
  const parts = [];
  for (const unit of ['h', 'm', 's', 'ms']) {
    const amount = Math.floor(rest / UNITS_MS[unit]);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * UNITS_MS[unit];
  }
  return parts.length === 0 ? '0ms' : parts.join(' ');
}
