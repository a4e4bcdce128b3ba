/**
 * Tells what a session waits for, so that no hub takes a loading model or a long prefill for a dead worker.
 * Emitting never throws into the work.
 */
import type { Clock, OnProgress } from '../ports.ts';
import { STATUS_INTERVAL_MS } from '../protocol/limits.ts';

export interface Narration {
  status(text: string): void;
  /** Says `text` with the seconds waited each 30 s until the returned function is called. */
  waiting(text: string): () => void;
}

export function createNarration(clock: Clock, model: string, onProgress: OnProgress | undefined): Narration {
  const status = (text: string): void => {
    try {
      onProgress?.({ event_type: 'status', text, model, timestamp: clock.now() });
    } catch {
      // A listener that throws breaks its own promise; the work goes on.
    }
  };
  return {
    status,
    waiting(text) {
      let waitedMs = 0;
      let cancel = (): void => undefined;
      const next = (): void => {
        cancel = clock.schedule(STATUS_INTERVAL_MS, () => {
          waitedMs += STATUS_INTERVAL_MS;
          status(`${text} (${Math.round(waitedMs / 1000)} s)`);
          next();
        });
      };
      next();
      return () => cancel();
    },
  };
}
