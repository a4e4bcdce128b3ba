import { distance, middle } from './geometry.js';

export function leg(from, to) {
  return { length: distance(from, to), label: middle(from, to) };
}
