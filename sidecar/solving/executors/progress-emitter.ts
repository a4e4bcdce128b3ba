/**
 * Sends the execution events of a task. Text of answers is coalesced for 100 ms. Output of an agentic task's calls is coalesced for longer,
 * per call. Other events are sent at once, after the pending text. Never throws.
 */
import type { Clock, Logger, OnProgress } from '../../base/ports.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';

const TOKEN_INTERVAL_MS = 100;
/**
 * How long the output of an agentic task's calls is coalesced. This is longer than for answers, since users only skim the output and the
 * hub stores each piece.
 */
const CALL_INTERVAL_MS = 500;

interface ProgressEmitterOptions {
  onProgress: OnProgress;
  clock: Clock;
  logger: Logger;
  /** Sequence number of the last event that was sent; a resumed task continues the count. */
  lastSeq?: number;
}

export class ProgressEmitter {
  readonly #options: ProgressEmitterOptions;
  #seq: number;
  /** Text that is not sent yet, by the id of the model call; the answer of a simple task has no id. */
  readonly #pending = new Map<string | undefined, ExecutionEvent>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: ProgressEmitterOptions) {
    this.#options = options;
    this.#seq = options.lastSeq ?? 0;
  }

  /** Sends an event at once, or coalesces it if it is a piece of text. */
  readonly emit = (event: ExecutionEvent): void => {
    if (event.event_type === 'token') {
      this.#coalesce(event);
      return;
    }
    this.flush();
    this.#send(event);
  };

  /** Sends the pending text. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const event of pending) this.#send(event);
  }

  #coalesce(event: ExecutionEvent): void {
    const id = event.model_call?.id;
    const pendingEvent = this.#pending.get(id);
    this.#pending.set(
      id,
      pendingEvent ? { ...pendingEvent, ...event, text: pendingEvent.text + event.text } : event,
    );
    const windowMs = id === undefined ? TOKEN_INTERVAL_MS : CALL_INTERVAL_MS;
    this.#cancelTimer ??= this.#options.clock.schedule(windowMs, () => this.flush());
  }

  #send(event: ExecutionEvent): void {
    const { onProgress, clock, logger } = this.#options;
    this.#seq += 1;
    try {
      onProgress({ timestamp: clock.now(), ...event, seq: this.#seq });
    } catch (error) {
      logger.warn({ error: String(error) }, 'A listener of progress events threw; the task continues');
    }
  }
}
