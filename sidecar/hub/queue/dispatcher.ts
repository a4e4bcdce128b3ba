/**
 * Keeps the queue moving: assigns when something changes, and at the one time when something falls due.
 * No polling. Only one assignment run at a time; requests during a run lead to exactly one more.
 */
import type { Clock, Logger } from '../../ports.ts';
import { assignTasks } from './assignment.ts';
import type { GivenTask, ReadyWorker } from './assignment.ts';
import type { Leases } from './leases.ts';
import type { QueueContext } from './timings.ts';

interface DispatcherOptions extends QueueContext {
  leases: Leases;
  logger: Logger;
  /** Workers of this replica that may get tasks now. */
  readyWorkers: () => ReadyWorker[];
  /** When the next paused worker may get tasks again, or the budgets begin anew; Infinity when there is no such time. */
  nextReadyMs: () => number;
  /** Sends the assignment; false when the connection is gone. */
  deliver: (given: GivenTask) => boolean;
}

/** Delay before the next try after a failure of the database. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/** Timers stop while the machine sleeps and ignore changes of the clock, so the time is checked at least this often. */
const LONGEST_SLEEP_MS = 60_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #again = false;
  #closed = false;
  #wakeAtMs = Infinity;
  #cancelWake: () => void = () => undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** Something changed: assigns what can be assigned. Resolves when the queue has been looked at since the call. Never rejects. */
  kick(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#again = true;
    return (this.#running ??= this.#runUntilQuiet());
  }

  /** Something falls due at `atMs`. */
  wakeAt(atMs: number): void {
    if (this.#closed || atMs >= this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = atMs;
    this.#cancelWake = this.#clock.schedule(Math.min(atMs - this.#clock.now(), LONGEST_SLEEP_MS), () => {
      this.#wakeAtMs = Infinity;
      if (this.#clock.now() < atMs) this.wakeAt(atMs);
      else void this.sweep();
    });
  }

  /** Looks at what is due right now, and sets the next time; also the first thing after a start. Never rejects. */
  sweep(): Promise<void> {
    return (this.#sweeping = this.#sweeping.then(() => this.#sweepOnce()));
  }

  async #sweepOnce(): Promise<void> {
    if (this.#closed) return;
    try {
      // Asked first: a time that comes during the sweep is not missed.
      const nextReadyMs = this.#options.nextReadyMs();
      await this.#options.leases.expire();
      await this.kick();
      this.wakeAt(Math.min(nextReadyMs, await this.#options.leases.nextDue()));
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the queue could not be swept, trying again');
      this.wakeAt(this.#clock.now() + RETRY_AFTER_FAILURE_MS);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWake();
    await this.#sweeping;
    await this.#running;
  }

  async #runUntilQuiet(): Promise<void> {
    // Many submissions of one turn of the event loop become one look at the queue.
    await new Promise((resolve) => setImmediate(resolve));
    do {
      this.#again = false;
      try {
        while (!this.#closed && (await this.#assignSome())) this.#again = false;
      } catch (error) {
        this.#options.logger.error({ err: error }, 'tasks could not be assigned, trying again');
        this.wakeAt(this.#clock.now() + RETRY_AFTER_FAILURE_MS);
      }
    } while (this.#again && !this.#closed);
    // In the same turn as the last check of `#again`, or a request in between would be lost.
    this.#running = undefined;
  }

  async #assignSome(): Promise<boolean> {
    const ready = this.#options.readyWorkers();
    if (ready.length === 0) return false;
    const given = await assignTasks(this.#options, ready);
    for (const one of given) {
      if (!this.#options.deliver(one)) await this.#options.leases.undelivered(one.task);
    }
    return given.length > 0;
  }
}
