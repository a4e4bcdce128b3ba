/*
 * Keeps this page in step with the hub: snapshots, then one live stream. Every stored event has a sequence
 * number; what was seen is never applied twice and nothing in between is missed, also over a hub's restart.
 */
import { ApiError, readStream, request } from './api.js';
import { taskPath } from './task-link.js';
/** @import { FeedListener, HubEvent, TaskList } from '../page-types.ts' */

const retryMs = [250, 500, 1000, 2000, 4000];
const pageSize = 100;

export class Feed {
  /** `tell`: what hears of changes; app.js has all of them. @param {FeedListener} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {Record<string, string>} */
    this.filters = {};
    /** @type {string | undefined} */
    this.taskId = undefined;
    this.abort = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Last sequence number seen of state changes, and of the open task. */
    this.stateId = 0;
    this.taskEventId = 0;
    this.failures = 0;
    this.run = 0;
  }

  /**
   * (Re)starts with these filters and this open task.
   * @param {{ filters?: Record<string, string>, taskId?: string | undefined }} [changed]
   */
  start(changed = {}) {
    // A default would keep the task where `taskId` says that none is open any more.
    const { filters, taskId } = { filters: this.filters, taskId: this.taskId, ...changed };
    if (taskId !== this.taskId) this.taskEventId = 0;
    this.filters = filters;
    this.taskId = taskId;
    this.stop();
    const run = ++this.run;
    this.abort = new AbortController();
    void this.#live(run, this.abort.signal);
  }

  stop() {
    this.run += 1;
    this.abort.abort();
    clearTimeout(this.timer);
  }

  /** The next page of the list, unless another list is shown by the time that it comes. @param {number} before */
  async more(before) {
    const { run } = this;
    const page = await this.#list(before);
    if (run === this.run) this.tell.onTasks(page, { append: true });
  }

  /** @param {number} [before] @param {AbortSignal} [signal] @returns {Promise<TaskList>} */
  async #list(before, signal) {
    const query = new URLSearchParams({ limit: String(pageSize) });
    for (const [key, value] of Object.entries(this.filters)) query.set(key, value);
    if (before !== undefined) query.set('before', String(before));
    return request(`api/tasks?${query}`, { signal });
  }

  /** @param {number} run @param {AbortSignal} signal */
  async #live(run, signal) {
    const current = () => run === this.run;
    try {
      const [list, { workers }] = await Promise.all([
        this.#list(undefined, signal),
        request('api/workers', { signal }),
      ]);
      if (!current()) return;
      // A sequence number that went back means another database behind the same address.
      if (list.last_event_id < this.stateId) this.taskEventId = 0;
      this.stateId = list.last_event_id;
      this.tell.onTasks(list, { append: false });
      this.tell.onWorkers(workers);
      if (this.taskId !== undefined) await this.#history(this.taskId, current, signal);
      if (!current()) return;
      await this.#stream(current, signal);
      if (current()) throw new ApiError({ detail: 'The stream ended.' }, 0);
    } catch (error) {
      if (!current()) return;
      this.#failed(error, run);
    }
  }

  /**
   * The open task and its events so far, from where this page knows it.
   * @param {string} taskId @param {() => boolean} current @param {AbortSignal} signal
   */
  async #history(taskId, current, signal) {
    const path = taskPath(taskId);
    try {
      const detail = await request(path, { signal });
      if (!current()) return;
      this.tell.onDetail(detail, { fresh: this.taskEventId === 0 });
      for (;;) {
        const page = await request(`${path}/events?after=${this.taskEventId}&limit=5000`, { signal });
        if (!current()) return;
        for (const event of page.events) this.#taskEvent(event);
        if (!page.more) return;
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      if (current()) this.tell.onDetail(undefined, { fresh: true, error });
    }
  }

  /** @param {() => boolean} current @param {AbortSignal} signal */
  async #stream(current, signal) {
    const after =
      this.taskId === undefined ? this.stateId : Math.min(this.stateId, Math.max(this.taskEventId, 0));
    const query = new URLSearchParams({ scope: 'state', after: String(after) });
    if (this.taskId !== undefined) query.set('task', this.taskId);
    await readStream(`api/events?${query}`, {
      signal,
      onOpen: () => {
        if (!current()) return;
        this.failures = 0;
        this.tell.onConnection('live');
      },
      onEvent: (kind, data) => {
        if (current()) this.#event(kind, data);
      },
    });
  }

  /** @param {string} kind @param {any} data */
  #event(kind, data) {
    if (kind === 'worker') {
      this.tell.onWorker(data);
      return;
    }
    if (data.task_id === this.taskId) this.#taskEvent(data);
    if (kind === 'execution' || data.id <= this.stateId) return;
    this.stateId = data.id;
    if (kind === 'task') this.tell.onTask(data.body);
  }

  /** @param {HubEvent} event */
  #taskEvent(event) {
    if (event.id <= this.taskEventId) return;
    this.taskEventId = event.id;
    this.tell.onTaskEvent(event);
  }

  /** @param {unknown} error @param {number} run */
  #failed(error, run) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      this.tell.onRefused(error);
      return;
    }
    this.tell.onConnection('lost', error);
    const delay = retryMs[Math.min(this.failures, retryMs.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => {
      if (run !== this.run) return;
      this.abort = new AbortController();
      void this.#live(run, this.abort.signal);
    }, delay);
  }
}
