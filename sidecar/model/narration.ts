/**
 * Tells what a session waits for, so that no hub takes a loading model or a long prefill for a dead worker.
 * Emitting never throws into the work.
 */
import type { Clock, OnProgress } from '../ports.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import { STATUS_INTERVAL_MS } from '../protocol/limits.ts';

export interface Narration {
  status(text: string): void;
  /** A status that tells only that something takes its time. */
  passing(text: string): void;
  /** Says `text` with the seconds waited each 30 s until the returned function is called. */
  waiting(text: string): () => void;
}

export function createNarration(clock: Clock, model: string, onProgress: OnProgress | undefined): Narration {
  const emit = (event: Pick<ExecutionEvent, 'text' | 'droppable'>): void => {
    try {
      onProgress?.({ event_type: 'status', ...event, model, timestamp: clock.now() });
    } catch {
      // A listener that throws breaks its own promise; the work goes on.
    }
  };
  const passing = (text: string): void => emit({ text, droppable: true });
  return {
    status: (text) => emit({ text }),
    passing,
    waiting(text) {
      let waitedMs = 0;
      let cancel = (): void => undefined;
      const next = (): void => {
        cancel = clock.schedule(STATUS_INTERVAL_MS, () => {
          waitedMs += STATUS_INTERVAL_MS;
          passing(`${text} (${Math.round(waitedMs / 1000)} s)`);
          next();
        });
      };
      next();
      return () => cancel();
    },
  };
}
