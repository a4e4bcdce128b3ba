import { ORDERS } from './sort.js';

export class TodoList {
  #tasks = [];
  #nextId = 1;

  add(title, { due = null, priority = 'normal' } = {}) {
    if (title.trim() === '') throw new Error('a task needs a title');
    const task = { id: this.#nextId, title: title.trim(), due, priority, done: false };
    this.#nextId += 1;
    this.#tasks.push(task);
    return task;
  }

  complete(id) {
    this.#find(id).done = true;
  }

  postpone(id, due) {
    this.#find(id).due = due;
  }

  /** The tasks in the wanted order; with `open` only those that are not done. */
  list({ sort = 'added', open = false } = {}) {
    const compare = ORDERS[sort];
    if (!compare) throw new Error(`unknown order: ${sort}`);
    return this.#tasks.filter((task) => !open || !task.done).sort(compare);
  }

  #find(id) {
    const task = this.#tasks.find((one) => one.id === id);
    if (!task) throw new Error(`no task ${id}`);
    return task;
  }
}
