/**
 * The worker's lifecycle. `state` changes only in `#enter`, in these steps:
 *
 *   starting → connecting → ready ⇄ connecting       the hub is connected, or lost and searched for
 *   ready | connecting → draining → stopped          SIGTERM, `restart_sidecar`
 *   any → draining → stopped                         at once: a refused token, a failing disk, a second signal
 *
 * A hub that drains this worker changes no state: it assigns no tasks, and the worker stays connected. The state `draining`
 * leads to the end: the worker takes no new task; running tasks may finish within the grace period, then their loops stop at
 * a safe point, and they are verified and reported as partial (`shutdown`); the outbox is delivered before the end. After a
 * refused token, running tasks are suspended instead: they stay in the journal and are resumed at the next start.
 */
import { errorMessage } from '../base/values/errors.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { LinkRefusal } from './hub-link/types.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Outbox } from '../base/storage/outbox.ts';
import { waitAtMost } from '../base/system/clock.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';

export type WorkerState = 'starting' | 'connecting' | 'ready' | 'draining' | 'stopped';

/** The reason why a worker ended, with a message if it could not continue. */
export interface WorkerEnd {
  reason: 'drained' | 'restart' | 'stopped' | 'hub_unreachable' | 'storage_failed' | LinkRefusal['code'];
  message?: string;
}

export interface WorkerOptions {
  active: ActiveTasks;
  /** `waitUntilIdle` removes the waiting tasks, and resolves when nothing runs. */
  queue: { pause(): void; waitUntilIdle(): Promise<void> };
  link: Pick<HubLink, 'waitUntilFlushed' | 'stop'>;
  /** Results that the hub has not acknowledged. */
  outbox: Pick<Outbox, 'size'>;
  gracePeriodMs: number;
  clock: Clock;
  logger: Logger;
  /** Returns why no task can be run; undefined if tasks can. */
  explainNotReady?: () => string | undefined;
  /** Closes the worker's resources: timers, database, lock. */
  close: () => Promise<void>;
}

/** How long loops have after the grace period to reach a safe point: the current answer of a model may take a while. */
const MAX_SAFE_POINT_WAIT_MS = 60_000;
/** How long loops may run after a hard stop before the worker ends without waiting for them. */
const MAX_HARD_STOP_WAIT_MS = 15_000;
/** How long the worker waits at the end for acknowledgements; remaining results are sent at the next start. */
const MAX_FLUSH_WAIT_MS = 10_000;

export class Worker {
  readonly #options: WorkerOptions;
  #state: WorkerState = 'starting';
  #end: Promise<WorkerEnd> | undefined;
  /** The first reason why the worker cannot continue; it takes precedence over a finished drain. */
  #failure: WorkerEnd | undefined;
  #hardStop = new AbortController();
  readonly #stateListeners = new Set<(state: WorkerState) => void>();
  readonly ended: Promise<WorkerEnd>;
  #resolveEnded: (end: WorkerEnd) => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Whether the worker is ending or has ended; nothing begins any more. */
  get isDraining(): boolean {
    return this.#state === 'draining' || this.#state === 'stopped';
  }

  /** Number of running tasks, and number of all taken tasks. */
  get taskCounts(): { running: number; unfinished: number } {
    return { running: this.#options.active.runningCount, unfinished: this.#options.active.size };
  }

  /** Calls `listener` with the present state and at each change; the returned function stops that. */
  onState(listener: (state: WorkerState) => void): () => void {
    this.#stateListeners.add(listener);
    listener(this.#state);
    return () => this.#stateListeners.delete(listener);
  }

  /** Resolves once the worker is connected. Never resolves if the worker ends before; `ended` then does. */
  async waitUntilReady(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = this.onState((state) => {
        if (state !== 'ready') return;
        queueMicrotask(() => stop());
        resolve();
      });
    });
  }

  onConnecting(): void {
    if (!this.isDraining) this.#enter('connecting');
  }

  onConnected(): void {
    if (!this.isDraining) this.#enter('ready');
  }

  /** Ends the worker after a storage failure; tasks in the journal are resumed at the next start. */
  onStorageFailed(error: unknown): void {
    this.#options.logger.error({ err: error }, 'The state folder cannot be written');
    void this.stop('storage_failed', errorMessage(error));
  }

  /**
   * Finishes running tasks within the grace period, then ends the worker; `stop` shortens the wait. Later calls do not
   * change the reason.
   */
  drain(cause: string, reason: 'drained' | 'restart' = 'drained'): Promise<WorkerEnd> {
    if (this.#end) return this.#end;
    const { active, logger } = this.#options;
    logger.info({ why: cause, running: active.runningCount }, 'Draining: the worker takes no new tasks');
    this.#enter('draining');
    this.#end = this.#drain(reason);
    return this.#end;
  }

  /**
   * Ends the worker at once: stops the loops of its tasks; their changes are still verified and reported if time
   * allows.
   */
  stop(reason: WorkerEnd['reason'] = 'stopped', message?: string): Promise<WorkerEnd> {
    const end = { reason, ...(message === undefined ? {} : { message }) };
    if (reason !== 'stopped') this.#failure ??= end;
    this.#hardStop.abort();
    this.#end ??= this.#finish(end);
    return this.#end;
  }

  async #drain(reason: WorkerEnd['reason']): Promise<WorkerEnd> {
    const { active, queue, clock, gracePeriodMs } = this.#options;
    await waitAtMost(clock, queue.waitUntilIdle(), gracePeriodMs, this.#hardStop.signal);
    for (const { control } of active.list()) control.stopSoon('shutdown');
    await waitAtMost(clock, queue.waitUntilIdle(), MAX_SAFE_POINT_WAIT_MS, this.#hardStop.signal);
    return this.#finish({ reason });
  }

  async #finish(requestedEnd: WorkerEnd): Promise<WorkerEnd> {
    const { active, clock, link, outbox, close, logger, queue } = this.#options;
    this.#enter('draining');
    queue.pause();
    for (const task of active.list()) {
      // No hub accepts the result, or not all of it can be written, so the task stays in the journal.
      if (requestedEnd.reason === 'token_refused' || requestedEnd.reason === 'storage_failed') suspend(task);
      task.control.stop('shutdown');
    }
    await waitAtMost(clock, queue.waitUntilIdle(), MAX_HARD_STOP_WAIT_MS);
    // Without a usable disk no acknowledgement can be recorded, so results stay for the next start.
    if (requestedEnd.reason !== 'token_refused' && requestedEnd.reason !== 'storage_failed') {
      await this.#runStep(() => waitAtMost(clock, link.waitUntilFlushed(), MAX_FLUSH_WAIT_MS));
    }
    await link.stop();
    const unstopped = active.list().filter(({ state }) => state === 'running');
    unstopped.forEach(suspend);
    if (unstopped.length > 0)
      logger.warn(
        { tasks: unstopped.length },
        'Tasks did not stop in time: they resume at the next start of the worker',
      );
    await this.#runStep(async () => {
      const results = outbox.size;
      const resultsText = results === 1 ? '1 result will be' : `${results} results will be`;
      if (results > 0) logger.warn({ results }, `${resultsText} delivered at the next start`);
    });
    await this.#runStep(close);
    this.#enter('stopped');
    const end = this.#failure ?? requestedEnd;
    // Only the reason is logged: the caller that awaits the end shows the message.
    logger.info({ reason: end.reason }, 'Worker stopped');
    this.#resolveEnded(end);
    return end;
  }

  /** Runs a step of the end. If the disk fails, the worker ends with that reason. */
  async #runStep(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.onStorageFailed(error);
    }
  }

  #enter(state: WorkerState): void {
    if (this.#state === state) return;
    this.#state = state;
    const { logger, explainNotReady } = this.#options;
    const reason = state === 'ready' ? explainNotReady?.() : undefined;
    // Scripts that start a daemon wait for this log line.
    if (reason !== undefined)
      logger.warn(
        { state, reason },
        'Connected to the hub: not ready for tasks until the problem in `reason` is solved',
      );
    else if (state === 'ready') logger.info({ state }, 'Connected to the hub: ready for tasks');
    else logger.debug({ state }, 'Worker state');
    for (const listener of this.#stateListeners) listener(state);
  }
}

/** Ends all writes of a task to the database, so that the next start of the worker resumes it. */
function suspend(task: ActiveTask): void {
  task.isSuspended = true;
  task.control.journal.close();
}
