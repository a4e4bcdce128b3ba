import { add, createMeter, total } from './meter.js';

export class House {
  #meters = new Map();

  read(name, amount) {
    const meter = this.#meters.get(name) ?? createMeter(name);
    this.#meters.set(name, meter);
    add(meter, amount);
  }

  total(name) {
    const meter = this.#meters.get(name);
    return meter ? total(meter) : 0;
  }

  get names() {
    return [...this.#meters.values()].filter((meter) => total(meter) > 0).map(({ name }) => name);
  }
}
