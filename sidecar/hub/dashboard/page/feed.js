/*
 * Synchronizes the page with the hub: snapshots, then one live stream. Each stored event has a sequence number: no
 * event is applied twice or missed, even when the hub restarts.
 */
import { ApiError, readStream, request } from './api.js';
import { formatTaskPath } from './task-link.js';
/** @import { FeedListener, HubEvent, TaskList } from '../page-types.ts' */

const retryMs = [250, 500, 1000, 2000, 4000];
const pageSize = 100;

export class Feed {
  /** `listener` receives the changes; see app.js. @param {FeedListener} listener */
  constructor(listener) {
    this.listener = listener;
    /** @type {Record<string, string>} */
    this.filters = {};
    /** @type {string | undefined} */
    this.taskId = undefined;
    this.abort = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Sequence number of the last state change. */
    this.stateId = 0;
    /** Sequence number of the last event of the open task. */
    this.taskEventId = 0;
    this.failures = 0;
    this.run = 0;
  }

  /**
   * Restarts the feed with these filters and this open task.
   * @param {{ filters?: Record<string, string>, taskId?: string | undefined }} [changed]
   */
  start(changed = {}) {
    // A default value would retain the task if `taskId` is undefined because none is open.
    const { filters, taskId } = { filters: this.filters, taskId: this.taskId, ...changed };
    if (taskId !== this.taskId) this.taskEventId = 0;
    this.filters = filters;
    this.taskId = taskId;
    this.stop();
    const run = ++this.run;
    this.abort = new AbortController();
    void this.#follow(run, this.abort.signal);
  }

  stop() {
    this.run += 1;
    this.abort.abort();
    clearTimeout(this.timer);
  }

  /**
   * Reads the list's next page, and ignores the page if the list has changed in the meantime.
   * @param {number} before
   */
  async readMore(before) {
    const { run } = this;
    const page = await this.#readList(before);
    if (run === this.run) this.listener.onTasks(page, { append: true });
  }

  /** @param {number} [before] @param {AbortSignal} [signal] @returns {Promise<TaskList>} */
  async #readList(before, signal) {
    const query = new URLSearchParams({ limit: String(pageSize) });
    for (const [key, value] of Object.entries(this.filters)) query.set(key, value);
    if (before !== undefined) query.set('before', String(before));
    return request(`api/tasks?${query}`, { signal });
  }

  /** @param {number} run @param {AbortSignal} signal */
  async #follow(run, signal) {
    const isCurrent = () => run === this.run;
    try {
      const [list, { workers }] = await Promise.all([
        this.#readList(undefined, signal),
        request('api/workers', { signal }),
      ]);
      if (!isCurrent()) return;
      // A lower sequence number than before means another database at the same address.
      if (list.last_event_id < this.stateId) this.taskEventId = 0;
      this.stateId = list.last_event_id;
      this.listener.onTasks(list, { append: false });
      this.listener.onWorkers(workers);
      if (this.taskId !== undefined) await this.#readHistory(this.taskId, isCurrent, signal);
      if (!isCurrent()) return;
      await this.#readStream(isCurrent, signal);
      if (isCurrent()) throw new ApiError({ detail: 'The connection to the hub ended.' }, 0);
    } catch (error) {
      if (!isCurrent()) return;
      this.#onFailure(error, run);
    }
  }

  /**
   * Reads the open task and its events after the last known event.
   * @param {string} taskId @param {() => boolean} isCurrent @param {AbortSignal} signal
   */
  async #readHistory(taskId, isCurrent, signal) {
    const path = formatTaskPath(taskId);
    try {
      const detail = await request(path, { signal });
      if (!isCurrent()) return;
      this.listener.onDetail(detail, { fresh: this.taskEventId === 0 });
      for (;;) {
        const page = await request(`${path}/events?after=${this.taskEventId}&limit=5000`, { signal });
        if (!isCurrent()) return;
        for (const event of page.events) this.#onTaskEvent(event);
        if (!page.more) return;
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      if (isCurrent()) this.listener.onDetail(undefined, { fresh: true, error });
    }
  }

  /** @param {() => boolean} isCurrent @param {AbortSignal} signal */
  async #readStream(isCurrent, signal) {
    const after =
      this.taskId === undefined ? this.stateId : Math.min(this.stateId, Math.max(this.taskEventId, 0));
    const query = new URLSearchParams({ scope: 'state', after: String(after) });
    if (this.taskId !== undefined) query.set('task', this.taskId);
    await readStream(`api/events?${query}`, {
      signal,
      onOpen: () => {
        if (!isCurrent()) return;
        this.failures = 0;
        this.listener.onConnection('live');
      },
      onEvent: (kind, data) => {
        if (isCurrent()) this.#onEvent(kind, data);
      },
    });
  }

  /** @param {string} kind @param {any} data */
  #onEvent(kind, data) {
    if (kind === 'worker') {
      this.listener.onWorker(data);
      return;
    }
    if (data.task_id === this.taskId) this.#onTaskEvent(data);
    if (kind === 'execution' || data.id <= this.stateId) return;
    this.stateId = data.id;
    if (kind === 'task') this.listener.onTask(data.body);
  }

  /** @param {HubEvent} event */
  #onTaskEvent(event) {
    if (event.id <= this.taskEventId) return;
    this.taskEventId = event.id;
    this.listener.onTaskEvent(event);
  }

  /** @param {unknown} error @param {number} run */
  #onFailure(error, run) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      this.listener.onRefused(error);
      return;
    }
    this.listener.onConnection('lost', error);
    const delay = retryMs[Math.min(this.failures, retryMs.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => {
      if (run !== this.run) return;
      this.abort = new AbortController();
      void this.#follow(run, this.abort.signal);
    }, delay);
  }
}
