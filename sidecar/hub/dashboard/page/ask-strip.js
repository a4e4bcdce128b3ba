/* Tasks that wait for a user's answer: their number in the top bar and their titles below it. */
import { request, ignoreRefusal } from './api.js';
import { findById, replaceContent, h, createIcon, setText } from './dom.js';
import { formatAge } from './format.js';
import { formatListHref } from './search-text.js';
import { createTaskLink } from './task-link.js';
/** @import { TaskList, TaskSummary } from '../page-types.ts' */

const MAX_NAMED_TASKS = 3;

export class AskStrip {
  constructor() {
    this.place = findById('asks');
    this.count = h('span.count');
    this.link = h('a.asking', { href: formatListHref({ status: 'asks' }), hidden: true }, 'Asks', this.count);
    this.total = 0;
    this.drawn = '';
  }

  /** Draws the tasks that ask; reads their titles only if there are such tasks. @param {number} total */
  async update(total) {
    this.total = total;
    this.link.hidden = total === 0;
    setText(this.count, String(total));
    /** @type {TaskList | undefined} */
    const page =
      total > 0 ? await ignoreRefusal(request(`api/tasks?status=asks&limit=${MAX_NAMED_TASKS}`)) : undefined;
    this.#draw(page?.tasks ?? [], Math.max(total, page?.total ?? 0));
  }

  /** Returns the page title with the number of tasks that ask. @param {string} [task] */
  titleOf(task) {
    const name = task ? `${task} – ollama-sidecar hub` : 'ollama-sidecar hub';
    return this.total > 0 ? `(${this.total}) ${name}` : name;
  }

  /** @param {TaskSummary[]} tasks @param {number} total */
  #draw(tasks, total) {
    const content = JSON.stringify([tasks.map(({ task_id: id, asks }) => [id, asks]), total]);
    if (content === this.drawn) return;
    this.drawn = content;
    if (tasks.length === 0) {
      replaceContent(this.place);
      return;
    }
    const rest = total - tasks.length;
    replaceContent(
      this.place,
      h(
        'p.asks-line',
        createIcon('question'),
        h('b', total === 1 ? '1 task waits for an answer' : `${total} tasks wait for an answer`),
        tasks.map(({ task_id: id, title, asks }) =>
          h(
            'span.asks-task',
            createTaskLink(id, title),
            asks ? h('span.note', `${asks.kind}, ${formatAge(asks.since, Date.now())}`) : null,
          ),
        ),
        rest > 0 ? h('a', { href: formatListHref({ status: 'asks' }) }, `and ${rest} more`) : null,
      ),
    );
  }
}
