/**
 * Execution events on their way out of a task: token text is joined in 100 ms windows, all
 * other events go at once and after the tokens that came before them. Never throws into the work.
 */
import type { Clock, Logger, OnProgress } from '../ports.ts';
import type { ExecutionEvent } from '../protocol/events.ts';

const TOKEN_WINDOW_MS = 100;

export interface ProgressEmitterOptions {
  onProgress: OnProgress;
  clock?: Clock;
  logger?: Logger;
  /** First sequence number minus one; a resumed task goes on counting. */
  lastSeq?: number;
}

export class ProgressEmitter {
  readonly #onProgress: OnProgress;
  readonly #clock: Clock | undefined;
  readonly #logger: Logger | undefined;
  #seq: number;
  #pending: ExecutionEvent | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ProgressEmitterOptions | OnProgress) {
    const { onProgress, clock, logger, lastSeq }: ProgressEmitterOptions =
      typeof options === 'function' ? { onProgress: options } : options;
    this.#onProgress = onProgress;
    this.#clock = clock;
    this.#logger = logger;
    this.#seq = lastSeq ?? 0;
  }

  /** The last sequence number that was given out. */
  get lastSeq(): number {
    return this.#seq;
  }

  /** Sends an event, or keeps it for up to 100 ms where it is token text. */
  readonly emit = (event: ExecutionEvent): void => {
    if (event.event_type === 'token') {
      this.#join(event);
      return;
    }
    this.flush();
    this.#send(event);
  };

  /** Sends the token text that is waiting. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#send(pending);
  }

  #join(event: ExecutionEvent): void {
    const joined = this.#pending;
    this.#pending = joined ? { ...joined, ...event, text: joined.text + event.text } : event;
    this.#cancelTimer ??= this.#schedule();
  }

  #schedule(): () => void {
    if (this.#clock) return this.#clock.schedule(TOKEN_WINDOW_MS, () => this.flush());
    const timer = setTimeout(() => this.flush(), TOKEN_WINDOW_MS);
    timer.unref();
    return () => clearTimeout(timer);
  }

  #send(event: ExecutionEvent): void {
    this.#seq += 1;
    const now = this.#clock ? this.#clock.now() : Date.now();
    try {
      this.#onProgress({ timestamp: now, ...event, seq: this.#seq });
    } catch (error) {
      this.#logger?.warn({ error: String(error) }, 'A listener of progress events threw; the task goes on');
    }
  }
}
