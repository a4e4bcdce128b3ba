/** A cache with room for some entries: what was not used for the longest time goes first. */
export class LruCache {
  #entries = new Map();
  #room;
  #onEvict;

  constructor(room, { onEvict = () => {} } = {}) {
    if (!(room >= 1)) throw new RangeError('room must be at least 1');
    this.#room = room;
    this.#onEvict = onEvict;
  }

  get size() {
    return this.#entries.size;
  }

  /** The value, which counts as a use; undefined when it is not there. */
  get(key) {
    const value = this.#entries.get(key);
    if (value) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** The value, without counting as a use. */
  peek(key) {
    return this.#entries.get(key);
  }

  has(key) {
    return this.#entries.has(key);
  }

  set(key, value) {
    this.#entries.set(key, value);
    if (this.#entries.size > this.#room) {
      const [oldest, oldValue] = this.#entries.entries().next().value;
      this.#entries.delete(oldest);
      this.#onEvict(oldest, oldValue);
    }
    return this;
  }

  delete(key) {
    return this.#entries.delete(key);
  }

  /** Keys, the one that goes next first. */
  keys() {
    return [...this.#entries.keys()];
  }
}
