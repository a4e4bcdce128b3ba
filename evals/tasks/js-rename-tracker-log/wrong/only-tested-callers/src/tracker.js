/** Counts what people do. Events are kept until flush() hands them over. */
export class Tracker {
  #events = [];
  #now;

  constructor({ now = Date.now } = {}) {
    this.#now = now;
  }

  /** Notes one event. */
  record(name, fields = {}) {
    if (typeof name !== 'string' || name === '') throw new TypeError('log: an event needs a name');
    this.#events.push({ name, at: this.#now(), ...fields });
  }

  /** Notes several events of the same time. */
  recordMany(names, fields = {}) {
    for (const name of names) this.record(name, fields);
  }

  /** All events so far; they are forgotten here. */
  flush() {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
