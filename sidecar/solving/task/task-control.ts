/**
 * Stops and steers a running task. It owns the task's AbortController. The first stop reason counts, except that `cancelled` replaces any
 * other reason, since no caller waits for the result. After a soft stop the loop ends at its next check, and nothing is aborted.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/ports.ts';
import type { TerminationReason } from '../../base/protocol/result.ts';
import { Journal, type JournalStore } from './journal.ts';
import { Steering } from './steering.ts';

export type StopReason = Extract<TerminationReason, 'cancelled' | 'shutdown' | 'timeout'>;

/** A task's wait for a model server. */
export interface Hold {
  /** Start of the wait, in milliseconds of the monotonic clock. */
  readonly sinceMs: number;
  /** Returns whether the files are as they were before the task. If so, another worker can take the task without loss. Never rejects. */
  readonly hasChangedNothing: () => Promise<boolean>;
}

export class TaskControl {
  #controller = new AbortController();
  #reason: StopReason | undefined;
  /** Input from outside, of this run of the task and of earlier runs; shared with the parts of the task, as is `steering`. */
  readonly journal: Journal;
  /** Messages of users to the task. */
  readonly steering: Steering;
  /** Aborted by any stop, including a soft one. */
  #stopping = new AbortController();
  #cancelled = new AbortController();
  /** Functions that cancel the timers. */
  readonly #timers: (() => void)[] = [];
  #wallClock: { clock: Clock; timeoutMs: number } | undefined;
  #usedBeforeMs = 0;
  /** Monotonic time at which the wall clock was last started. */
  #runningSinceMs: number | undefined;
  #pauses = 0;
  /** The active part of the task, and the used wall-clock time at which the part times out. */
  #part: { control: TaskControl; untilMs: number } | undefined;
  #hold: Hold | undefined;
  /** Handle of the whole task, which owns the wall clock; undefined if this is the handle of the whole task. */
  readonly #whole: TaskControl | undefined;

  /**
   * Creates the handle of a task. `store`: where the task's journal is persisted. `whole`: the task if this is a part. Throws
   * `StorageError`.
   */
  constructor(store?: JournalStore, whole?: TaskControl) {
    this.#whole = whole;
    this.journal = whole?.journal ?? new Journal(this, store);
    this.steering = whole?.steering ?? new Steering(this.journal);
    // Every call of a round adds a listener, and a round can have many parallel calls.
    setMaxListeners(0, this.#controller.signal, this.#stopping.signal, this.#cancelled.signal);
  }

  /** Aborted when the task must stop at once. Model calls, commands and waits use this signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Reason for the stop; undefined while the task may continue. */
  get stopReason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborted by any stop, including a soft one. Waits that may end at any time use this signal. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when the task is cancelled. Work after another kind of stop, such as the checks, uses this signal. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** The task's wait for a model server; undefined while the task runs. */
  get hold(): Hold | undefined {
    return this.#whole ? this.#whole.hold : this.#hold;
  }

  set hold(hold: Hold | undefined) {
    if (this.#whole) this.#whole.hold = hold;
    else this.#hold = hold;
  }

  /** Stops the task at once, also after a soft stop. Later calls change the reason only to `cancelled`. */
  stop(reason: StopReason): void {
    if (reason === 'cancelled') {
      this.#reason = reason;
      this.#cancelled.abort(reason);
    }
    this.stopSoon(reason);
    this.#controller.abort(this.#reason);
    this.#part?.control.stop(reason);
  }

  /** Stops the task at the next safe point. */
  stopSoon(reason: StopReason): void {
    this.#reason ??= reason;
    this.#stopping.abort(this.#reason);
    this.#part?.control.stopSoon(reason);
  }

  /**
   * Returns the handle of a part of the task. The part stops with the task, or alone after `timeoutMs` of the task's wall clock. Parts are
   * sequential: a new part replaces the previous one. Steering applies to the whole task.
   */
  openPart(timeoutMs: number): TaskControl {
    const control = new TaskControl(undefined, this);
    this.#part = { control, untilMs: this.usedMs + timeoutMs };
    if (this.#reason) control.stopSoon(this.#reason);
    if (this.#reason && this.signal.aborted) control.stop(this.#reason);
    this.#schedule();
    return control;
  }

  /** Whether this is the handle of a part of a task. */
  get isPartOfTask(): boolean {
    return this.#whole !== undefined;
  }

  /** Starts the wall clock of a task; when the time is over the task stops with `timeout`. */
  startWallClock(clock: Clock, timeoutMs: number): void {
    this.#wallClock = { clock, timeoutMs };
    this.#startClock();
  }

  /** Raises the used time to at least `ms`, to count the time of an earlier run. */
  raiseUsedTime(ms: number): void {
    if (this.#whole) return this.#whole.raiseUsedTime(ms);
    const moreMs = ms - this.usedMs;
    if (moreMs <= 0) return;
    this.#usedBeforeMs += moreMs;
    this.#schedule();
  }

  /** Pauses the task's wall clock until the returned function is called, once. */
  pauseWallClock(): () => void {
    if (this.#whole) return this.#whole.pauseWallClock();
    this.#pauses += 1;
    this.#usedBeforeMs = this.usedMs;
    this.#runningSinceMs = undefined;
    this.#cancelTimers();
    return () => {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#startClock();
    };
  }

  /** Used wall-clock time of the task in milliseconds, with the time before a resume and without pauses. */
  get usedMs(): number {
    if (this.#whole) return this.#whole.usedMs;
    if (!this.#wallClock || this.#runningSinceMs === undefined) return this.#usedBeforeMs;
    return this.#usedBeforeMs + this.#wallClock.clock.monotonicMs() - this.#runningSinceMs;
  }

  /** Remaining wall-clock time of the task in milliseconds; infinite before the clock is started. */
  get leftMs(): number {
    if (this.#whole) return this.#whole.leftMs;
    return this.#wallClock ? Math.max(0, this.#wallClock.timeoutMs - this.usedMs) : Infinity;
  }

  #startClock(): void {
    this.#runningSinceMs = this.#wallClock?.clock.monotonicMs();
    this.#schedule();
  }

  /** Schedules the timeouts of the task and of its active part while the wall clock runs. */
  #schedule(): void {
    this.#cancelTimers();
    if (!this.#wallClock || this.#runningSinceMs === undefined) return;
    const { clock, timeoutMs } = this.#wallClock;
    const stopAt = (control: TaskControl, endMs: number): void => {
      const leftMs = endMs - this.usedMs;
      if (leftMs > 0) this.#timers.push(clock.schedule(leftMs, () => control.stop('timeout')));
      // The process was busy until a pause began, so the timer could not fire in time.
      else if (!control.stopReason) control.stop('timeout');
    };
    stopAt(this, timeoutMs);
    if (this.#part) stopAt(this.#part.control, this.#part.untilMs);
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers.splice(0)) cancel();
  }

  /** Queues a message of a user for the next round; returns false if too many are waiting. Throws `StorageError`. */
  steer(text: string): boolean {
    return this.steering.add(text);
  }

  /** Cancels the timers and waits for pending records in the journal. Must be called after the end of the task. */
  async dispose(): Promise<void> {
    this.#cancelTimers();
    await this.journal.waitUntilSettled();
  }
}
