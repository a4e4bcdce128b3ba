import { readPackages } from './read.js';
import { order } from './order.js';

export function build(text) {
  return order(readPackages(text));
}
