import { Heap } from './heap.js';

/** Jobs that wait. take() gives the one of highest priority. */
export class JobQueue {
  #heap = new Heap((a, b) => a.priority > b.priority || (a.priority === b.priority && a.number < b.number));
  #added = 0;

  get length() {
    return this.#heap.size;
  }

  /** Adds a job; a higher number is taken earlier. */
  add(job, priority = 0) {
    this.#added += 1;
    this.#heap.push({ job, priority, number: this.#added });
  }

  /** The next job, or undefined when none waits. */
  take() {
    return this.#heap.pop()?.job;
  }

  /** All jobs that wait, in the order they would be taken; the queue is empty afterwards. */
  drain() {
    const jobs = [];
    while (this.length > 0) jobs.push(this.take());
    return jobs;
  }
}
