/** Keeps values by key, in memory. */
export class MemoryStore {
  #values = new Map();

  async get(key) {
    return this.#values.get(key);
  }

  async set(key, value) {
    if (typeof key !== 'string') throw new TypeError('a key is a text');
    this.#values.set(key, value);
  }

  delete(key) {
    return this.#values.delete(key);
  }

  keys(prefix = '') {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}
