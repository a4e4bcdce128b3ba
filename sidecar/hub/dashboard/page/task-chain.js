/* The chain of follow-ups before and after a task. */
import { request, ignoreRefusal } from './api.js';
import { replaceContent, h } from './dom.js';
import { createStatusBadge, createTaskLink, formatTaskPath } from './task-link.js';
/** @import { TaskDetail } from '../page-types.ts' */

/** Maximum number of tasks in each direction, since each one needs a request. */
const MAX_STEPS = 6;

export class TaskChain {
  constructor() {
    this.element = h('nav.chain', { 'aria-label': 'Follow-ups' });
    this.drawnFacts = '';
  }

  /** Draws the chain; reads the neighbouring tasks only if they have changed. @param {TaskDetail} detail */
  async draw(detail) {
    const { task_id: id, follow_up_of: parent, follow_up_task_id: child, status } = detail;
    const facts = JSON.stringify([id, parent, child, status]);
    if (facts === this.drawnFacts) return;
    if (!this.drawnFacts.startsWith(JSON.stringify([id]).slice(0, -1))) replaceContent(this.element);
    this.drawnFacts = facts;
    const [before, after] = await Promise.all([
      readChain(parent, 'follow_up_of'),
      readChain(child, 'follow_up_task_id'),
    ]);
    if (facts !== this.drawnFacts) return;
    const all = [...before.toReversed(), detail, ...after];
    replaceContent(
      this.element,
      all.length > 1
        ? h(
            'ol',
            all.map((one) => renderStep(one, one === detail)),
          )
        : null,
    );
  }
}

/** @param {TaskDetail} task @param {boolean} isOpen */
const renderStep = (task, isOpen) =>
  h(
    'li',
    isOpen ? h('b', { 'aria-current': 'page' }, task.title) : createTaskLink(task.task_id, task.title),
    createStatusBadge(task),
  );

/**
 * Returns the chain of tasks in one direction, as far as the hub still has them.
 * @param {string | null} from @param {'follow_up_of' | 'follow_up_task_id'} key
 */
async function readChain(from, key) {
  /** @type {TaskDetail[]} */
  const chain = [];
  for (let id = from; id !== null && chain.length < MAX_STEPS; id = chain.at(-1)?.[key] ?? null) {
    const task = await ignoreRefusal(request(formatTaskPath(id)));
    if (!task) break;
    chain.push(task);
  }
  return chain;
}
