/**
 * Assigns queued tasks when something changes or falls due; never polls. Only one assignment run is active at a time;
 * requests during a run cause exactly one more.
 */
import type { Clock, Logger } from '../../base/ports.ts';
import { assignTasks } from './assignment.ts';
import type { TaskDelivery, ReadyWorker } from './assignment.ts';
import type { Leases } from './leases.ts';
import type { QueueContext } from './timings.ts';

interface DispatcherOptions extends QueueContext {
  leases: Leases;
  logger: Logger;
  /** Workers of this replica that may get tasks now. */
  readyWorkers: () => ReadyWorker[];
  /** Returns when the next paused worker may get tasks again or the budgets reset; Infinity if there is no such time. */
  nextReadyMs: () => number;
  /** Sends an assignment; returns false if the connection is gone. */
  deliver: (given: TaskDelivery) => boolean;
}

/** Delay before a retry after a database failure. */
const RETRY_AFTER_FAILURE_MS = 1_000;

/** Maximum delay of a timer, since a sleeping machine stops its timers, and timers ignore changes of the clock. */
const MAX_TIMER_MS = 60_000;
/** Difference between the two clocks from which the machine counts as suspended, or its clock as set. */
const MIN_CLOCK_JUMP_MS = 30_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #lastSweep: Promise<void> = Promise.resolve();
  #mustRunAgain = false;
  #closed = false;
  #wakeAtMs = Infinity;
  #cancelWake: () => void = () => undefined;
  /** Whether workers could not renew their leases since the last sweep. */
  #hadOutage = false;
  /** Difference between the wall clock and the monotonic clock at the last sweep. */
  #clockOffsetMs: number;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#clockOffsetMs = this.#readClockOffset();
  }

  /** Assigns queued tasks after a change. Resolves once the queue has been read after this call. Never rejects. */
  scheduleRun(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#mustRunAgain = true;
    return (this.#running ??= this.#runUntilIdle());
  }

  /** Schedules a sweep for `atMs`, if none is due earlier. */
  wakeAt(atMs: number): void {
    if (this.#closed || atMs >= this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = atMs;
    this.#cancelWake = this.#clock.schedule(Math.min(atMs - this.#clock.now(), MAX_TIMER_MS), () => {
      this.#wakeAtMs = Infinity;
      if (this.#clock.now() < atMs) this.wakeAt(atMs);
      else void this.sweep();
    });
  }

  /** Handles everything that is due and schedules the next sweep; also the first step after a start. Never rejects. */
  sweep(): Promise<void> {
    return (this.#lastSweep = this.#lastSweep.then(() => this.#sweepOnce()));
  }

  async #sweepOnce(): Promise<void> {
    if (this.#closed) return;
    this.#noticeClockJump();
    try {
      if (this.#hadOutage) await this.#options.leases.extendAfterOutage();
      this.#hadOutage = false;
      // The time is read before the sweep, so that a time that passes during the sweep is not missed.
      const nextReadyMs = this.#options.nextReadyMs();
      await this.#options.leases.expire();
      await this.scheduleRun();
      this.wakeAt(Math.min(nextReadyMs, await this.#options.leases.findNextDue()));
    } catch (error) {
      this.#hadOutage = true;
      this.#options.logger.error(
        { err: error },
        'expired leases and due tasks could not be processed, trying again',
      );
      this.wakeAt(this.#clock.now() + RETRY_AFTER_FAILURE_MS);
    }
  }

  /** Detects that the machine was suspended or its clock was set, so that leases may have expired for no other reason. */
  #noticeClockJump(): void {
    const offsetMs = this.#readClockOffset();
    if (offsetMs - this.#clockOffsetMs >= MIN_CLOCK_JUMP_MS) this.#hadOutage = true;
    this.#clockOffsetMs = offsetMs;
  }

  #readClockOffset(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWake();
    await this.#lastSweep;
    await this.#running;
  }

  async #runUntilIdle(): Promise<void> {
    // Waits for the end of this turn of the event loop, so that many submissions cause one read of the queue.
    await new Promise((resolve) => setImmediate(resolve));
    do {
      this.#mustRunAgain = false;
      try {
        while (!this.#closed && (await this.#assignBatch())) this.#mustRunAgain = false;
      } catch (error) {
        this.#options.logger.error({ err: error }, 'tasks could not be assigned, trying again');
        this.wakeAt(this.#clock.now() + RETRY_AFTER_FAILURE_MS);
      }
    } while (this.#mustRunAgain && !this.#closed);
    // Must be in the same turn as the last check of `#mustRunAgain`, or a request in between would be lost.
    this.#running = undefined;
  }

  async #assignBatch(): Promise<boolean> {
    const ready = this.#options.readyWorkers();
    if (ready.length === 0) return false;
    const deliveries = await assignTasks(this.#options, ready);
    for (const delivery of deliveries) {
      if (!this.#options.deliver(delivery)) await this.#options.leases.requeueUndelivered(delivery.task);
    }
    return deliveries.length > 0;
  }
}
