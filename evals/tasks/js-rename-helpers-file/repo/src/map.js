import { distance, middle } from './helpers.js';

export function leg(from, to) {
  return { length: distance(from, to), label: middle(from, to) };
}
