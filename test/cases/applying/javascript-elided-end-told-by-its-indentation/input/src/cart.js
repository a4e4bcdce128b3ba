/**
 * A shopping cart.
 */
import { round } from './money.js';

const TAX = 0.2;

/** Sum of all lines. */
export function total(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.price;
  }
  return round(sum);
}

export function discount(sum, percent) {
  return sum - percent;
}

export class Cart {
  #lines = [];

  add(name, price, count = 1) {
    this.#lines.push({ name, price, count });
  }

  remove(name) {
    this.#lines = this.#lines.filter((line) => line.name === name);
  }

  total() {
    return total(this.#lines);
  }
}
