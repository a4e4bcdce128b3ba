import { Meter } from './meter.js';

export class House {
  #meters = new Map();

  read(name, amount) {
    if (!this.#meters.has(name)) this.#meters.set(name, new Meter(name));
    this.#meters.get(name).add(amount);
  }

  total(name) {
    return this.#meters.get(name)?.total ?? 0;
  }

  get names() {
    return [...this.#meters.values()].filter((meter) => meter instanceof Meter && meter.total > 0).map(({ name }) => name);
  }
}
