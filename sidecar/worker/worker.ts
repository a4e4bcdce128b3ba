/**
 * The worker's lifecycle. `state` changes only in `#enter`, along these ways:
 *
 *   starting → connecting → ready ⇄ connecting       the hub is there, or lost and looked for
 *   ready | connecting → draining → stopped          SIGTERM, `restart_sidecar`
 *   any → draining → stopped                         at once: a refused token, a failing disk, a second signal
 *
 * A hub that drains this worker changes no state: it gives it no tasks, and the worker stays connected. Draining here is the
 * way to the end: no new task; what runs may finish within the grace period, then its loop stops at a safe point, is
 * verified and reported as partial (`shutdown`); the outbox is flushed before the end. With a refused token what runs is
 * suspended instead: it stays in the journal and is resumed at the next start.
 */
import { errorMessage } from '../base/values/errors.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { LinkRefusal } from './hub-link/types.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Outbox } from '../base/storage/outbox.ts';
import { waitAtMost } from '../base/system/clock.ts';
import type { ActiveTasks } from './active-tasks.ts';

export type WorkerState = 'starting' | 'connecting' | 'ready' | 'draining' | 'stopped';

/** Why a worker ended; `failure` is set if it could not continue. */
export interface WorkerEnd {
  reason: 'drained' | 'restart' | 'stopped' | 'hub_unreachable' | 'storage_failed' | LinkRefusal['code'];
  message?: string;
}

export interface WorkerOptions {
  active: ActiveTasks;
  /** `idle` takes out what waits, and resolves when nothing runs. */
  queue: { pause(): void; idle(): Promise<void> };
  link: Pick<HubLink, 'flushed' | 'stop'>;
  /** Results that the hub has not acknowledged. */
  outbox: Pick<Outbox, 'size'>;
  gracePeriodMs: number;
  clock: Clock;
  logger: Logger;
  /** Why no task can be worked on; undefined while one can. */
  notReady?: () => string | undefined;
  /** Ends what the worker owns: timers, database, lock. */
  close: () => Promise<void>;
}

/** After the grace period loops have this long to come to a safe point: the answer that a model is writing may take a while. */
const SAFE_POINT_MS = 60_000;
/** After a hard stop, loops have this long to end before the worker leaves without them. */
const HARD_STOP_MS = 15_000;
/** The outbox is given this long to be acknowledged at the end; the rest is sent at the next start. */
const FLUSH_MS = 10_000;

export class Worker {
  readonly #options: WorkerOptions;
  #state: WorkerState = 'starting';
  #end: Promise<WorkerEnd> | undefined;
  /** The first reason why the worker cannot continue; it outranks a finished drain. */
  #failure: WorkerEnd | undefined;
  #hurry = new AbortController();
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

  /** On its way out, or gone: nothing is begun any more. */
  get isDraining(): boolean {
    return this.#state === 'draining' || this.#state === 'stopped';
  }

  /** Tasks that run now, and all that were taken. */
  get load(): { running: number; taken: number } {
    return { running: this.#options.active.running, taken: this.#options.active.size };
  }

  /** Calls `listener` at each change of state, now included; the returned function ends that. */
  onState(listener: (state: WorkerState) => void): () => void {
    this.#stateListeners.add(listener);
    listener(this.#state);
    return () => this.#stateListeners.delete(listener);
  }

  /** Resolves once the worker is connected; never after an end (then `ended` does). */
  async whenReady(): Promise<void> {
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

  /** Finishes what runs within the grace period, then ends; `stop` shortens that. The first call's reason holds. */
  drain(why: string, reason: 'drained' | 'restart' = 'drained'): Promise<WorkerEnd> {
    if (this.#end) return this.#end;
    const { active, logger } = this.#options;
    logger.info({ why, running: active.running }, 'Draining: no new tasks are taken');
    this.#enter('draining');
    this.#end = this.#drain(reason);
    return this.#end;
  }

  /** Ends at once: loops are cut off, what they did is still verified and reported where time allows. */
  stop(reason: WorkerEnd['reason'] = 'stopped', message?: string): Promise<WorkerEnd> {
    const end = { reason, ...(message === undefined ? {} : { message }) };
    if (reason !== 'stopped') this.#failure ??= end;
    this.#hurry.abort();
    this.#end ??= this.#finish(end);
    return this.#end;
  }

  async #drain(reason: WorkerEnd['reason']): Promise<WorkerEnd> {
    const { active, queue, clock, gracePeriodMs } = this.#options;
    await waitAtMost(clock, queue.idle(), gracePeriodMs, this.#hurry.signal);
    for (const { control } of active.all()) control.stopSoon('shutdown');
    await waitAtMost(clock, queue.idle(), SAFE_POINT_MS, this.#hurry.signal);
    return this.#finish({ reason });
  }

  async #finish(asked: WorkerEnd): Promise<WorkerEnd> {
    const { active, clock, link, outbox, close, logger, queue } = this.#options;
    this.#enter('draining');
    queue.pause();
    for (const task of active.all()) {
      // Nobody can be given its result.
      if (asked.reason === 'token_refused') task.isSuspended = true;
      task.control.stop('shutdown');
    }
    await waitAtMost(clock, queue.idle(), HARD_STOP_MS);
    // A disk that cannot note an acknowledgement keeps its results for the next start.
    if (asked.reason !== 'token_refused' && asked.reason !== 'storage_failed') {
      await this.#attempt(() => waitAtMost(clock, link.flushed(), FLUSH_MS));
    }
    await link.stop();
    await this.#attempt(async () => {
      const results = outbox.size;
      const which = results === 1 ? '1 result is' : `${results} results are`;
      if (results > 0) logger.warn({ results }, `${which} delivered at the next start`);
    });
    await this.#attempt(close);
    this.#enter('stopped');
    const end = this.#failure ?? asked;
    // Whoever awaits the end shows its message.
    logger.info({ reason: end.reason }, 'Worker stopped');
    this.#resolveEnded(end);
    return end;
  }

  /** A step of the end that a failing disk may refuse: the end comes all the same, with that reason. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.onStorageFailed(error);
    }
  }

  #enter(state: WorkerState): void {
    if (this.#state === state) return;
    this.#state = state;
    const { logger, notReady } = this.#options;
    const reason = state === 'ready' ? notReady?.() : undefined;
    // Whoever started a daemon waits for this line.
    if (reason !== undefined)
      logger.warn({ state, reason }, 'Connected to the hub: not ready for tasks until the reason is gone');
    else if (state === 'ready') logger.info({ state }, 'Connected to the hub: ready for tasks');
    else logger.debug({ state }, 'Worker state');
    for (const listener of this.#stateListeners) listener(state);
  }
}
