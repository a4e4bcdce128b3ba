/**
 * The one handle by which a running task is stopped or steered. It owns the task's AbortController; the first
 * reason wins and is typed. `shutdown` may be soft: the loop then stops at its next check, with nothing cut off.
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
  #cancelTimer: () => void = () => undefined;
  #used: () => number = () => 0;

  constructor() {
    // A round of many parallel calls listens with each of them.
    setMaxListeners(0, this.#controller.signal);
  }

  /** Aborted when the task must stop at once: model calls, commands and waits listen to it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the task is to stop; undefined while it may go on. */
  get stopReason(): StopReason | undefined {
    return this.#reason;
  }

  /** Stops at once. Calls after the first keep its reason; a soft shutdown can still be made hard. */
  stop(reason: StopReason): void {
    this.#reason ??= reason;
    this.#controller.abort(this.#reason);
  }

  /** Stops at the next safe point. */
  stopSoon(reason: StopReason): void {
    this.#reason ??= reason;
  }

  /**
   * Starts the wall clock of a task that has used `usedMs` of its time in earlier lives; at its end the task stops with
   * `timeout`. Where none is left the stop is soft, so that what was lived through before can still be told.
   */
  startWallClock(clock: Clock, timeoutMs: number, usedMs = 0): void {
    const startedMs = clock.monotonicMs();
    this.#used = () => usedMs + clock.monotonicMs() - startedMs;
    this.#cancelTimer();
    if (usedMs >= timeoutMs) this.stopSoon('timeout');
    else this.#cancelTimer = clock.schedule(timeoutMs - usedMs, () => this.stop('timeout'));
  }

  /** Wall-clock time of the task, that of earlier lives included, in milliseconds. */
  get usedMs(): number {
    return this.#used();
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

  /** Takes what was queued, in order; `taken` is to be written with the round. */
  takeSteering(): Steered {
    return this.#steering.take();
  }

  /** Ends the wall clock; call once the task is over. */
  dispose(): void {
    this.#cancelTimer();
  }
}
