import { fill } from './fill.js';

/** The plan as text. */
export function report(grams, stock) {
  const { jars, left } = fill(grams, stock);
  const lines = jars.map(({ size, count }) => `${count} x ${size} g`);
  lines.push(left > 0 ? `left over: ${left} g` : 'nothing left over');
  return lines.join('\n');
}
