import { add, createMeter, total } from './meter.js';

export class House {
  #meters = new Map();

  read(name, amount) {
    this.#meters.set(name, add(this.#meters.get(name) ?? createMeter(name), amount));
  }

  total(name) {
    const meter = this.#meters.get(name);
    return meter ? total(meter) : 0;
  }

  get names() {
    return [...this.#meters.values()].filter((meter) => total(meter) > 0).map(({ name }) => name);
  }
}
