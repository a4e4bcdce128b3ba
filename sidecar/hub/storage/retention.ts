/**
 * Keeps the database bounded: at the start and then every six hours, events and tasks that are old or too many are
 * removed. In small transactions that wait for moments without other changes, so that the queue is never held up.
 */
import type { Clock, Logger } from '../../ports.ts';
import { every } from '../../system/clock.ts';
import { DAY_MS } from './count-figures.ts';
import { sweep } from './sweep.ts';
import type { HubStore } from './unit-of-work.ts';

const EVERY_MS = 6 * 3_600_000;
/** Sums of a year and a month: a few rows an hour. */
const FIGURE_DAYS = 400;
/** A hub that is never idle takes a step this often all the same. */
const PATIENCE_MS = 1_000;

/** The limits of retention. Tasks that have not ended, and their events, always stay. */
export interface HubRetention {
  /** Days after a task's end. */
  taskDays: number;
  taskCount: number;
  /** Days after the end of the task that they are about. */
  eventDays: number;
  eventCount: number;
}
export const defaultRetention: HubRetention = {
  taskDays: 180,
  taskCount: 1_000_000,
  eventDays: 30,
  eventCount: 2_000_000,
};

interface RetentionOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
  kept: HubRetention;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #closed = new AbortController();
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Removes what is too old or too much now and then every six hours. */
  start(): void {
    const round = (): void => void (this.#running = this.#running.then(() => this.#removeOld()));
    round();
    this.#cancel = every(this.#options.clock, EVERY_MS, round);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#cancel();
    await this.#running;
  }

  /** Never rejects. */
  async #removeOld(): Promise<void> {
    const { store, clock, logger, kept } = this.#options;
    const steps = { isIdle: () => store.isIdle, patienceMs: PATIENCE_MS, clock, signal: this.#closed.signal };
    const endedBefore = (days: number) => Math.round(clock.now() - days * DAY_MS);
    const swept = (table: 'events' | 'tasks', days: number, maxCount: number) =>
      sweep(store, table, { endedBeforeMs: endedBefore(days), maxCount, steps });
    try {
      const removed = {
        events: await swept('events', kept.eventDays, kept.eventCount),
        tasks: await swept('tasks', kept.taskDays, kept.taskCount),
      };
      await store.db.deleteFrom('figures').where('hour', '<', endedBefore(FIGURE_DAYS)).execute();
      if (removed.events > 0 || removed.tasks > 0) logger.info(removed, 'old rows were removed');
    } catch (error) {
      logger.error({ err: error }, 'old rows could not be removed');
    }
  }
}
