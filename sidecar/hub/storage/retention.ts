/**
 * Removes old or surplus events and tasks at the start and every six hours, in small transactions that wait for an idle
 * moment, so that the queue is never delayed.
 */
import type { Clock, Logger } from '../../ports.ts';
import { every } from '../../system/clock.ts';
import { DAY_MS } from './count-figures.ts';
import { sweep } from './sweep.ts';
import type { HubStore } from './unit-of-work.ts';

const EVERY_MS = 6 * 3_600_000;
/** Days for which sums are retained: a few rows per hour. */
const FIGURE_DAYS = 400;
/** Longest wait for an idle moment before the next step. */
const PATIENCE_MS = 1_000;

/** The limits of retention. Tasks that have not ended always stay, with their events. */
export interface HubRetention {
  /** Days after a task's end. */
  taskDays: number;
  taskCount: number;
  /** Days after the end of the event's task. */
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
  limits: HubRetention;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #closed = new AbortController();
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Removes old rows now and then every six hours. */
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
    const { store, clock, logger, limits } = this.#options;
    const steps = { isIdle: () => store.isIdle, patienceMs: PATIENCE_MS, clock, signal: this.#closed.signal };
    const endedBefore = (days: number) => Math.round(clock.now() - days * DAY_MS);
    const removeRows = (table: 'events' | 'tasks', days: number, maxCount: number) =>
      sweep(store, table, { endedBeforeMs: endedBefore(days), maxCount, steps });
    try {
      const removed = {
        events: await removeRows('events', limits.eventDays, limits.eventCount),
        tasks: await removeRows('tasks', limits.taskDays, limits.taskCount),
      };
      await store.db.deleteFrom('figures').where('hour', '<', endedBefore(FIGURE_DAYS)).execute();
      if (removed.events > 0 || removed.tasks > 0) logger.info(removed, 'old rows were removed');
    } catch (error) {
      logger.error({ err: error }, 'old rows could not be removed');
    }
  }
}
