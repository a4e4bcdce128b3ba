import { toFahrenheit, toFahrenheitWind } from './convert.js';

function line(reading) {
  const degrees = Math.round(toFahrenheit(reading.temperature));
  const wind = Math.round(toFahrenheitWind(reading.wind));
  return `${reading.time}  ${degrees}F  ${wind} mph`;
}

/** The report of a day: one line a reading, and the highest temperature. */
export function report(readings) {
  const lines = readings.map(line);
  if (readings.length > 0) {
    const highest = Math.max(...readings.map((reading) => toFahrenheit(reading.temperature)));
    lines.push(`high  ${Math.round(highest)}F`);
  }
  return lines.join('\n');
}
