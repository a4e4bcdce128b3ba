/**
 * The one handle by which a running task is stopped or steered. It owns the task's AbortController; the first reason wins
 * and is typed, but a cancelled task is cancelled whatever stopped it before: nothing waits for its result. A stop may be
 * soft: the loop then ends at its next check, with nothing cut off.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/ports.ts';
import type { TerminationReason } from '../../base/protocol/result.ts';
import { Steering } from './steering.ts';

export type StopReason = Extract<TerminationReason, 'cancelled' | 'shutdown' | 'timeout'>;

/** A task's wait for a model server. */
export interface Hold {
  /** Milliseconds of the monotonic clock. */
  readonly sinceMs: number;
  /** Whether its files are as they were before the task: nothing is lost where another worker does it. Never rejects. */
  readonly hasChangedNothing: () => Promise<boolean>;
}

export class TaskControl {
  #controller = new AbortController();
  #reason: StopReason | undefined;
  /** Texts of users to the task; its parts have the same. */
  readonly steering: Steering;
  /** Aborted by a soft stop as well. */
  #stopping = new AbortController();
  #cancelled = new AbortController();
  /** Each of them cancels a timer. */
  readonly #timers: (() => void)[] = [];
  #wallClock: { clock: Clock; timeoutMs: number } | undefined;
  #usedBeforeMs = 0;
  /** Since when the wall clock runs, of the monotonic clock. */
  #runsSinceMs: number | undefined;
  #pauses = 0;
  /** The part of the task that is at work, and how much of the wall clock will be used when its time is over. */
  #part: { control: TaskControl; untilMs: number } | undefined;
  #hold: Hold | undefined;
  /** The handle of the whole task, if this is a part; it has the wall clock. */
  readonly #whole: TaskControl | undefined;

  constructor(whole?: TaskControl) {
    this.#whole = whole;
    this.steering = whole?.steering ?? new Steering();
    // A round of many parallel calls listens with each of them.
    setMaxListeners(0, this.#controller.signal, this.#stopping.signal, this.#cancelled.signal);
  }

  /** Aborted when the task must stop at once: model calls, commands and waits listen to it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the task is to stop; undefined while it may continue. */
  get stopReason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborted when the task is to stop, be it at the next safe point: waits that may end at any time listen to it. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when the task is cancelled: what is done after another stop, such as its checks, listens to it. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** Its wait for a model server; undefined while it runs. */
  get hold(): Hold | undefined {
    return this.#whole ? this.#whole.hold : this.#hold;
  }

  set hold(hold: Hold | undefined) {
    if (this.#whole) this.#whole.hold = hold;
    else this.#hold = hold;
  }

  /** Stops at once. Calls after the first keep its reason, but for a cancel; a soft stop can still be made hard. */
  stop(reason: StopReason): void {
    if (reason === 'cancelled') {
      this.#reason = reason;
      this.#cancelled.abort(reason);
    }
    this.stopSoon(reason);
    this.#controller.abort(this.#reason);
    this.#part?.control.stop(reason);
  }

  /** Stops at the next safe point. */
  stopSoon(reason: StopReason): void {
    this.#reason ??= reason;
    this.#stopping.abort(this.#reason);
    this.#part?.control.stopSoon(reason);
  }

  /**
   * The handle of a part of the task, which stops with the task, and alone when it has had `timeoutMs` of its wall clock.
   * Parts come one after the other: a new one takes the place of the last. Users steer the task.
   */
  part(timeoutMs: number): TaskControl {
    const control = new TaskControl(this);
    this.#part = { control, untilMs: this.usedMs + timeoutMs };
    if (this.#reason) control.stopSoon(this.#reason);
    if (this.#reason && this.signal.aborted) control.stop(this.#reason);
    this.#schedule();
    return control;
  }

  /** Whether it is the handle of a part of a task. */
  get isPart(): boolean {
    return this.#whole !== undefined;
  }

  /** Starts the wall clock of a task; at its end the task stops with `timeout`. */
  startWallClock(clock: Clock, timeoutMs: number): void {
    this.#wallClock = { clock, timeoutMs };
    this.#run();
  }

  /** Counts time that an earlier run of the task had used: `ms` are used now, if not more. */
  useAtLeast(ms: number): void {
    if (this.#whole) return this.#whole.useAtLeast(ms);
    const moreMs = ms - this.usedMs;
    if (moreMs <= 0) return;
    this.#usedBeforeMs += moreMs;
    this.#schedule();
  }

  /** Stops the task's wall clock until the returned function is called, once. */
  pauseWallClock(): () => void {
    if (this.#whole) return this.#whole.pauseWallClock();
    this.#pauses += 1;
    this.#usedBeforeMs = this.usedMs;
    this.#runsSinceMs = undefined;
    this.#cancelTimers();
    return () => {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    };
  }

  /** Wall-clock time of the task, that before a resume included and pauses left out, in milliseconds. */
  get usedMs(): number {
    if (this.#whole) return this.#whole.usedMs;
    if (!this.#wallClock || this.#runsSinceMs === undefined) return this.#usedBeforeMs;
    return this.#usedBeforeMs + this.#wallClock.clock.monotonicMs() - this.#runsSinceMs;
  }

  /** The rest of the task's wall clock, in milliseconds; infinite before the clock is started. */
  get leftMs(): number {
    if (this.#whole) return this.#whole.leftMs;
    return this.#wallClock ? Math.max(0, this.#wallClock.timeoutMs - this.usedMs) : Infinity;
  }

  #run(): void {
    this.#runsSinceMs = this.#wallClock?.clock.monotonicMs();
    this.#schedule();
  }

  /** The ends of the wall clock and of the part that is at work, as far as the time runs. */
  #schedule(): void {
    this.#cancelTimers();
    if (!this.#wallClock || this.#runsSinceMs === undefined) return;
    const { clock, timeoutMs } = this.#wallClock;
    const stopAt = (control: TaskControl, endMs: number): void => {
      const leftMs = endMs - this.usedMs;
      if (leftMs > 0) this.#timers.push(clock.schedule(leftMs, () => control.stop('timeout')));
      // Something kept the process busy until a pause came, and the timer not to its turn.
      else if (!control.stopReason) control.stop('timeout');
    };
    stopAt(this, timeoutMs);
    if (this.#part) stopAt(this.#part.control, this.#part.untilMs);
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers.splice(0)) cancel();
  }

  /** Queues a text of a user for the next round; false when too many wait already. Throws `StorageError`. */
  steer(text: string): boolean {
    return this.steering.add(text);
  }

  /** Ends the wall clock; call once the task is over. */
  dispose(): void {
    this.#cancelTimers();
  }
}
