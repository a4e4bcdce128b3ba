/** A store; entries that are undefined count as missing. */
export class StoreAdapter {
  #entries = new Map();

  fetch(key) {
    return this.#entries.get(key);
  }

  store(key, value) {
    this.#entries.set(key, value);
    return value;
  }

  has(key) {
    return this.#entries.get(key) !== undefined;
  }

  drop(key) {
    return this.#entries.delete(key);
  }

  get count() {
    return this.#entries.size;
  }
}
