import { x } from './x.js';

export const LIMIT = 1;

export function add(a, b) {
  return a + b;
}
