/** A map that forgets its oldest entry when it holds more than `max`. */
export class MemoryCache {
  #entries = new Map();

  constructor(max = 500) {
    this.max = max;
  }

  get(key) {
    return this.#entries.get(key);
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.max) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest);
    }
  }

  get size() {
    return this.#entries.size;
  }

  clear() {
    this.#entries.clear();
  }
}
