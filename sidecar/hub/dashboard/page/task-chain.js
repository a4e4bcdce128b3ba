/* The chain of follow-ups before and after a task. */
import { request, unlessRefused } from './api.js';
import { fill, h } from './dom.js';
import { statusBadge, taskLink, taskPath } from './task-link.js';
/** @import { TaskDetail } from '../page-types.ts' */

/** Limit of steps, since each is a request. */
const MAX_STEPS = 6;

export class TaskChain {
  constructor() {
    this.element = h('nav.chain', { 'aria-label': 'Follow-ups' });
    this.known = '';
  }

  /** Reads the neighbours only if they have changed. @param {TaskDetail} detail */
  async draw(detail) {
    const { task_id: id, follow_up_of: parent, follow_up_task_id: child, status } = detail;
    const known = JSON.stringify([id, parent, child, status]);
    if (known === this.known) return;
    if (!this.known.startsWith(JSON.stringify([id]).slice(0, -1))) fill(this.element);
    this.known = known;
    const [before, after] = await Promise.all([
      walk(parent, 'follow_up_of'),
      walk(child, 'follow_up_task_id'),
    ]);
    if (known !== this.known) return;
    const all = [...before.toReversed(), detail, ...after];
    fill(
      this.element,
      all.length > 1
        ? h(
            'ol',
            all.map((one) => step(one, one === detail)),
          )
        : null,
    );
  }
}

/** @param {TaskDetail} task @param {boolean} isOpen */
const step = (task, isOpen) =>
  h(
    'li',
    isOpen ? h('b', { 'aria-current': 'page' }, task.title) : taskLink(task.task_id, task.title),
    statusBadge(task),
  );

/**
 * Returns the tasks in one direction that the hub still has.
 * @param {string | null} from @param {'follow_up_of' | 'follow_up_task_id'} key
 */
async function walk(from, key) {
  /** @type {TaskDetail[]} */
  const found = [];
  for (let id = from; id !== null && found.length < MAX_STEPS; id = found.at(-1)?.[key] ?? null) {
    const task = await unlessRefused(request(taskPath(id)));
    if (!task) break;
    found.push(task);
  }
  return found;
}
