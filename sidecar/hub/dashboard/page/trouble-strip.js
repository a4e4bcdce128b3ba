/* Workers that need attention, at the top of the page, with actions for the user. */
import { replaceContent, h, createIcon } from './dom.js';
import { formatPlural } from './format.js';
import { createTaskLink } from './task-link.js';
/** @import { Child, TaskSummary, Worker } from '../page-types.ts' */

const MAX_NAMED_WORKERS = 5;
/** @typedef {{ worker: Worker, orphans: Worker['tasks'] }} Trouble */

/** Returns whether a connected worker needs attention. @param {Worker} worker */
export const isTroubled = ({ connected, draining, not_ready: reason }) =>
  connected && (draining || reason !== null);

export class TroubleStrip {
  /**
   * `taskOf` returns a task of the list, `resume` creates the button that ends draining.
   * @param {Element} place @param {{ taskOf: (id: string) => TaskSummary | undefined, resume: (worker: Worker) => Child }} how
   */
  constructor(place, { taskOf, resume }) {
    this.place = place;
    this.taskOf = taskOf;
    this.resume = resume;
    this.drawn = '';
    /**
     * Tasks of workers that disconnected while the page was open: the hub requeues them at once.
     * @type {Map<string, Worker['tasks']>}
     */
    this.lostTasks = new Map();
  }

  /** @param {Worker | undefined} before @param {Worker} worker */
  recordChange(before, worker) {
    if (worker.connected) this.lostTasks.delete(worker.agent_id);
    else if (before?.connected) this.lostTasks.set(worker.agent_id, before.tasks);
  }

  /**
   * Draws the strip. Redraws it only if something has changed, so that a button keeps its focus.
   * @param {readonly Worker[]} workers
   */
  draw(workers) {
    const troubles = workers.flatMap((worker) => {
      const orphans = worker.connected ? [] : this.#orphansOf(worker);
      return isTroubled(worker) || orphans.length > 0 ? [{ worker, orphans }] : [];
    });
    const content = JSON.stringify(
      troubles.map(({ worker, orphans }) => [worker.name, describeTrouble(worker, orphans.length), orphans]),
    );
    if (content === this.drawn) return;
    this.drawn = content;
    const [first] = troubles;
    replaceContent(
      this.place,
      first ? (troubles.length === 1 ? this.#renderSingle(first) : renderSeveral(troubles)) : null,
    );
  }

  /** @param {Trouble} trouble */
  #renderSingle({ worker, orphans }) {
    return h(
      'p.trouble',
      createIcon('alert'),
      h('span', h('b', worker.name), ` ${describeTrouble(worker, orphans.length)}`),
      orphans.slice(0, 3).map(({ task_id: id, title }) => createTaskLink(id, title)),
      worker.connected && worker.draining ? this.resume(worker) : null,
    );
  }

  /** Returns the tasks of a disconnected worker that run nowhere else. @param {Worker} worker */
  #orphansOf({ agent_id: id, tasks }) {
    const requeuedTasks = (this.lostTasks.get(id) ?? []).filter(
      ({ task_id: task }) => this.taskOf(task)?.status === 'queued',
    );
    return [
      ...tasks,
      ...requeuedTasks.filter(({ task_id: task }) => !tasks.some((one) => one.task_id === task)),
    ];
  }
}

/**
 * Renders one line for several workers, grouped by state, with the reason that they have in common.
 * @param {Trouble[]} troubles
 */
function renderSeveral(troubles) {
  const workers = troubles.map(({ worker }) => worker);
  const unready = workers.filter(({ connected, not_ready: reason }) => connected && reason !== null);
  const draining = workers.filter(({ connected, not_ready: reason }) => connected && reason === null);
  const disconnected = workers.filter(({ connected }) => !connected);
  const [reason, ...others] = new Set(unready.map(({ not_ready: one }) => one));
  const orphans = troubles.flatMap((one) => one.orphans);
  return h(
    'p.trouble',
    createIcon('alert'),
    h('a.count-of', { href: '#/overview' }, `${troubles.length} workers need attention`),
    renderGroup(unready, others.length === 0 ? `not ready: ${reason}` : 'not ready'),
    renderGroup(draining, 'draining'),
    renderGroup(disconnected, `disconnected, ${formatPlural(orphans.length, 'task')} affected:`),
    orphans.slice(0, 3).map(({ task_id: id, title }) => createTaskLink(id, title)),
  );
}

/** @param {readonly Worker[]} workers @param {string} what */
function renderGroup(workers, what) {
  if (workers.length === 0) return null;
  const names = workers.slice(0, MAX_NAMED_WORKERS).map(({ name }) => name);
  const rest = workers.length - names.length;
  return h('span', h('b', names.join(', ')), rest > 0 ? ` and ${rest} more ${what}` : ` ${what}`);
}

/** @param {Worker} worker @param {number} orphans */
function describeTrouble({ connected, not_ready: reason, load }, orphans) {
  if (!connected) return `is disconnected and had ${orphans === 1 ? 'a task' : `${orphans} tasks`}:`;
  if (reason !== null) return `is not ready: ${reason}`;
  return `is draining: it gets no new tasks${load > 0 ? ` and finishes ${formatPlural(load, 'task')}` : ''}`;
}
