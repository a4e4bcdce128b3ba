import { readTide as tideOf } from './tide.js';

/** How far the water rises. */
export const range = (harbour) => {
  const { high, low } = tideOf(harbour);
  return high - low;
};
