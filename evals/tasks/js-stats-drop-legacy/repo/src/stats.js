/** Sum of all numbers, the old way: skips what is no number. */
export function legacySum(values) {
  let sum = 0;
  for (const value of values) if (typeof value === 'number') sum += value;
  return sum;
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values) {
  return sum(values) / values.length;
}

export function spread(values) {
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
}
