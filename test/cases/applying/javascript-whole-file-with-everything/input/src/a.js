import { x } from './x.js';

export function add(a, b) {
  return a - b;
}

export const LIMIT = 1;
