/**
 * The one handle by which a running task is stopped or steered. It owns the task's AbortController; the first reason wins
 * and is typed, but a cancelled task is cancelled whatever stopped it before: nobody waits for its result. A stop may be
 * soft: the loop then ends at its next check, with nothing cut off.
 */
import { setMaxListeners } from 'node:events';
import type { Clock, TaskJournal } from '../../ports.ts';
import type { TerminationReason } from '../../protocol/result.ts';
import { Steering, type Steered } from './steering.ts';

export type StopReason = Extract<TerminationReason, 'cancelled' | 'shutdown' | 'timeout'>;

export class TaskControl {
  #controller = new AbortController();
  #reason: StopReason | undefined;
  readonly #steering = new Steering();
  /** Aborted by a soft stop as well. */
  #stopping = new AbortController();
  #cancelled = new AbortController();
  #cancelTimer: () => void = () => undefined;
  #wallClock: { clock: Clock; timeoutMs: number } | undefined;
  #usedBeforeMs = 0;
  /** Since when the wall clock runs, of the monotonic clock. */
  #runsSinceMs: number | undefined;
  #pauses = 0;

  constructor() {
    // A round of many parallel calls listens with each of them.
    setMaxListeners(0, this.#controller.signal, this.#stopping.signal, this.#cancelled.signal);
  }

  /** Aborted when the task must stop at once: model calls, commands and waits listen to it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the task is to stop; undefined while it may go on. */
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

  /** Stops at once. Calls after the first keep its reason, but for a cancel; a soft stop can still be made hard. */
  stop(reason: StopReason): void {
    if (reason === 'cancelled') {
      this.#reason = reason;
      this.#cancelled.abort(reason);
    }
    this.stopSoon(reason);
    this.#controller.abort(this.#reason);
  }

  /** Stops at the next safe point. */
  stopSoon(reason: StopReason): void {
    this.#reason ??= reason;
    this.#stopping.abort(this.#reason);
  }

  /**
   * Starts the wall clock of a task that has used `usedMs` of its time in earlier lives; at its end the task stops with
   * `timeout`. Where none is left the stop is soft, so that what was lived through before can still be told.
   */
  startWallClock(clock: Clock, timeoutMs: number, usedMs = 0): void {
    this.#wallClock = { clock, timeoutMs };
    this.#usedBeforeMs = usedMs;
    if (usedMs >= timeoutMs) this.stopSoon('timeout');
    this.#run();
  }

  /** Stops the wall clock until the returned function is called, once. */
  pauseWallClock(): () => void {
    this.#pauses += 1;
    this.#usedBeforeMs = this.usedMs;
    this.#runsSinceMs = undefined;
    this.#cancelTimer();
    return () => {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    };
  }

  /** Wall-clock time of the task, that of earlier lives included and pauses left out, in milliseconds. */
  get usedMs(): number {
    if (!this.#wallClock || this.#runsSinceMs === undefined) return this.#usedBeforeMs;
    return this.#usedBeforeMs + this.#wallClock.clock.monotonicMs() - this.#runsSinceMs;
  }

  #run(): void {
    if (!this.#wallClock) return;
    const { clock, timeoutMs } = this.#wallClock;
    this.#runsSinceMs = clock.monotonicMs();
    this.#cancelTimer();
    const leftMs = timeoutMs - this.#usedBeforeMs;
    if (leftMs > 0) this.#cancelTimer = clock.schedule(leftMs, () => this.stop('timeout'));
    // Something kept the process busy until a pause came, and the timer not to its turn.
    else if (!this.#reason) this.stop('timeout');
  }

  /** Keeps what people say over a crash, and takes up what was said before one. Throws `StorageError`. */
  keepSteering(journal: TaskJournal): void {
    this.#steering.keepIn(journal);
  }

  /** Queues a text of a person for the next round; false when too many wait already. Throws `StorageError`. */
  steer(text: string): boolean {
    return this.#steering.add(text);
  }

  /** Whether a text of a person waits for a round. */
  get isSteered(): boolean {
    return this.#steering.isWaiting;
  }

  /** What people said and a round took, over all lives of the task. */
  get heard(): readonly string[] {
    return this.#steering.heard;
  }

  /** Takes what was queued, in order; `taken` is to be written with the round. */
  takeSteering(): Steered {
    return this.#steering.take();
  }

  /** Ends the wall clock; call once the task is over. */
  dispose(): void {
    this.#cancelTimer();
  }
}
