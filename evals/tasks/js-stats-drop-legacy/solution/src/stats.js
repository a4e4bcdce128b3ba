export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values) {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

export function spread(values) {
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
}
