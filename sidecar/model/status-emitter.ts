/**
 * Emits statuses while a session waits, so that the hub does not mistake a loading model or a long prefill for a dead worker.
 * Emitting never throws.
 */
import type { Clock, OnProgress } from '../base/ports.ts';
import type { ExecutionEvent } from '../base/protocol/events.ts';
import { STATUS_INTERVAL_MS } from '../base/protocol/limits.ts';
import { runEvery } from '../base/system/clock.ts';
import type { ChatCall } from './chat.ts';

/** Minimum time that a call waits for a slot before a status shows it. */
const MIN_SHOWN_WAIT_MS = 2_000;
const SLOT_TEXT = 'Waiting for a slot of the model server';

export interface StatusEmitter {
  emitStatus(text: string): void;
  /** Emits a status that only shows progress, so that it may be dropped. */
  showProgress(text: string): void;
  /** Emits `text` with the seconds waited every 30 s until the returned function is called. */
  repeatStatus(text: string): () => void;
}

export function createStatusEmitter(
  clock: Clock,
  model: string,
  onProgress: OnProgress | undefined,
): StatusEmitter {
  const emit = (event: Pick<ExecutionEvent, 'text' | 'droppable'>): void => {
    try {
      onProgress?.({ event_type: 'status', ...event, model, timestamp: clock.now() });
    } catch {
      // A listener must not throw; its error does not affect the work.
    }
  };
  const showProgress = (text: string): void => emit({ text, droppable: true });
  return {
    emitStatus: (text) => emit({ text }),
    showProgress,
    repeatStatus(text) {
      let waitedMs = 0;
      return runEvery(clock, STATUS_INTERVAL_MS, () => {
        waitedMs += STATUS_INTERVAL_MS;
        showProgress(`${text} (${Math.round(waitedMs / 1000)} s)`);
      });
    },
  };
}

export type OnSlot = NonNullable<ChatCall['onSlot']>;

/** The statuses of one call until its answer is being written. */
export interface CallStatus {
  onSlot: OnSlot;
  /** Stops the statuses, because the answer is being written. */
  stop: () => void;
  /** Returns the milliseconds waited for a slot, even if the call never got one. */
  end: () => number;
}

/** Repeats `text` while the server works on a call; shows the wait while the call has no slot. */
export function startCallStatus(clock: Clock, emitter: StatusEmitter, text: string): CallStatus {
  let stop = emitter.repeatStatus(text);
  let waitStartMs: number | undefined;
  let waitedMs = 0;
  const end = (): number => {
    stop();
    if (waitStartMs !== undefined) waitedMs += clock.monotonicMs() - waitStartMs;
    waitStartMs = undefined;
    return waitedMs;
  };
  const emitSlot = (): void => {
    emitter.showProgress(SLOT_TEXT);
    stop = emitter.repeatStatus(SLOT_TEXT);
  };
  return {
    onSlot(state) {
      end();
      if (state === 'waiting') waitStartMs = clock.monotonicMs();
      stop = state === 'waiting' ? clock.schedule(MIN_SHOWN_WAIT_MS, emitSlot) : emitter.repeatStatus(text);
    },
    stop: () => stop(),
    end,
  };
}
