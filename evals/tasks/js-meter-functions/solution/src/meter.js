export const createMeter = (name) => ({ name, readings: [] });

/** The meter with one more reading. */
export function add(meter, amount) {
  if (!(amount >= 0)) throw new RangeError(`${meter.name}: ${amount} is no reading`);
  return { ...meter, readings: [...meter.readings, amount] };
}

export const total = ({ readings }) => readings.reduce((sum, amount) => sum + amount, 0);
