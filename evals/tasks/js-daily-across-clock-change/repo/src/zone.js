const formats = new Map();

function formatOf(zone) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** What a clock on the wall of a zone shows: { year, month, day, hour, minute, second }. */
export function wallClock(instantMs, zone) {
  const parts = formatOf(zone).formatToParts(instantMs);
  const read = (type) => Number(parts.find((part) => part.type === type).value);
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour'), minute: read('minute'), second: read('second') };
}

/** How far a zone's clock is ahead of UTC at an instant, in milliseconds. */
export function offsetMs(instantMs, zone) {
  const { year, month, day, hour, minute, second } = wallClock(instantMs, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}
