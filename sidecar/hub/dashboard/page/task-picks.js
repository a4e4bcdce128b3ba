/* The tasks selected in the list, which can be cancelled together. */
import { createActionButton } from './act-button.js';
import { request } from './api.js';
import { replaceContent, h, announce } from './dom.js';
import { isOpen, formatPlural } from './format.js';
import { formatTaskPath } from './task-link.js';
/** @import { TaskSummary } from '../page-types.ts' */

export class TaskPicks {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Set<string>} */
    this.chosen = new Set();
    this.bar = h('div.picks', { role: 'group', 'aria-label': 'Selected tasks', hidden: true });
  }

  /** @param {string} taskId */
  toggle(taskId) {
    if (!this.chosen.delete(taskId)) this.chosen.add(taskId);
    this.#onChange();
  }

  /** Deselects tasks that have ended or are no longer listed. @param {ReadonlyMap<string, TaskSummary>} listed */
  retainListed(listed) {
    const endedIds = [...this.chosen].filter((id) => !isOpen(listed.get(id)?.status ?? 'success'));
    if (endedIds.length === 0) return;
    for (const id of endedIds) this.chosen.delete(id);
    this.#draw();
  }

  /** Selects those of the given tasks that have not ended. @param {readonly TaskSummary[]} tasks */
  chooseOpen(tasks) {
    for (const { task_id: id, status } of tasks) if (isOpen(status)) this.chosen.add(id);
    this.#onChange();
  }

  #onChange() {
    this.#draw();
    this.onChange();
  }

  #draw() {
    const { size } = this.chosen;
    this.bar.hidden = size === 0;
    if (size === 0) return;
    replaceContent(
      this.bar,
      h('b', `${formatPlural(size, 'task')} selected`),
      createActionButton(`Cancel ${formatPlural(size, 'task')}`, 'danger', () => this.#cancel()),
      h(
        'button.quiet',
        {
          onclick: () => {
            this.chosen.clear();
            this.#onChange();
          },
        },
        'Clear selection',
      ),
    );
  }

  async #cancel() {
    const ids = [...this.chosen];
    if (!confirm(`Cancel ${formatPlural(ids.length, 'task')}? All unfinished work is lost.`)) return;
    for (const id of ids) {
      await request(formatTaskPath(id, '/cancel'), { method: 'POST', body: {} });
      this.chosen.delete(id);
    }
    announce(`${formatPlural(ids.length, 'task')} cancelled`);
    this.#onChange();
  }
}
