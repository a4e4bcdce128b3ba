/* Above everything: workers that cannot work, and what a person can do about it. */
import { fill, h, icon } from './dom.js';
import { taskLink } from './task-link.js';
/** @import { Child, TaskSummary, Worker } from '../page-types.ts' */

const MAX_SHOWN = 4;

/** Whether a worker that is connected needs a person. @param {Worker} worker */
export const isTroubled = ({ connected, draining, not_ready: reason }) =>
  connected && (draining || reason !== null);

export class TroubleStrip {
  /**
   * `taskOf` knows tasks that are in the list, `resume` makes the button that ends a drain.
   * @param {Element} place
   * @param {{ taskOf: (id: string) => TaskSummary | undefined, resume: (worker: Worker) => Child }} how
   */
  constructor(place, { taskOf, resume }) {
    this.place = place;
    this.taskOf = taskOf;
    this.resume = resume;
    this.drawn = '';
    /** Tasks of workers that were seen to go: the hub puts them back into its queue at once. @type {Map<string, string[]>} */
    this.left = new Map();
  }

  /** @param {Worker | undefined} before @param {Worker} worker */
  note(before, worker) {
    if (worker.connected) this.left.delete(worker.agent_id);
    else if (before?.connected) this.left.set(worker.agent_id, before.task_ids);
  }

  /** Draws again only what has changed: a button keeps its focus. @param {readonly Worker[]} workers */
  draw(workers) {
    const troubles = workers.flatMap((worker) => {
      const orphans = worker.connected ? [] : this.#orphansOf(worker);
      return isTroubled(worker) || orphans.length > 0 ? [{ worker, orphans }] : [];
    });
    const now = JSON.stringify(
      troubles.map(({ worker, orphans }) => [textOf(worker, orphans), orphans.map(({ title }) => title)]),
    );
    if (now === this.drawn) return;
    this.drawn = now;
    const more = troubles.length - MAX_SHOWN;
    fill(
      this.place,
      troubles.slice(0, MAX_SHOWN).map(({ worker, orphans }) =>
        h(
          'p.trouble',
          icon('alert'),
          h('span', h('b', worker.name), ` ${textOf(worker, orphans)}`),
          orphans.slice(0, 3).map(({ task_id: id, title }) => taskLink(id, title)),
          worker.connected && worker.draining ? this.resume(worker) : null,
        ),
      ),
      more > 0 ? h('p.trouble', h('a', { href: '#/overview' }, `and ${more} more workers in trouble`)) : null,
    );
  }

  /** Tasks that ran on a worker that is gone, and run nowhere else. @param {Worker} worker */
  #orphansOf({ agent_id: id, task_ids: running }) {
    const left = (this.left.get(id) ?? []).filter((task) => this.taskOf(task)?.status === 'queued');
    return [...new Set([...running, ...left])].map(
      (task) => this.taskOf(task) ?? { task_id: task, title: task },
    );
  }
}

/** @param {Worker} worker @param {readonly unknown[]} orphans */
function textOf({ connected, not_ready: reason, load }, orphans) {
  if (!connected) return `is gone and had ${orphans.length === 1 ? 'a task' : `${orphans.length} tasks`}:`;
  if (reason !== null) return `is not ready: ${reason}`;
  return `is draining: it takes nothing new${load > 0 ? ` and finishes ${load}` : ''}`;
}
