import { conv, windChill } from './convert.js';

const HEAT = 95;
const COLD = 0;

/** The warnings for one reading. */
export function alerts(reading) {
  const found = [];
  if (conv(reading.temperature) >= HEAT) found.push('heat');
  if (windChill(reading) <= COLD) found.push('wind chill');
  return found;
}
