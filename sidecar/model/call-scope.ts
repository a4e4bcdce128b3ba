/**
 * Ends one call from the client's side: by the caller's signal, the client's `abort`, or a timeout. Only the first cause
 * counts, so that a later socket error does not replace it.
 */
import type { Clock } from '../base/ports.ts';
import type { ClientEnding } from './call-errors.ts';

type TimeoutBudget = Extract<ClientEnding, { kind: 'timeout' }>['budget'];

export interface CallScope {
  /** Aborts the request's socket. */
  readonly signal: AbortSignal;
  readonly ending: ClientEnding | undefined;
  /** Replaces the current timeout by `timeoutMs`; undefined for no timeout. */
  limit(budget: TimeoutBudget, timeoutMs: number | undefined): void;
  abort(): void;
  /** Removes timer and listener when the call is over. */
  close(): void;
}

export function openCallScope(
  clock: Pick<Clock, 'schedule'>,
  callerSignal: AbortSignal | undefined,
): CallScope {
  const controller = new AbortController();
  let ending: ClientEnding | undefined;
  let stopTimer = (): void => undefined;
  const end = (cause: ClientEnding): void => {
    if (controller.signal.aborted) return;
    ending = cause;
    controller.abort();
  };
  const startedMs = performance.now();
  const abort = (): void => {
    const isLate =
      callerSignal?.reason instanceof DOMException && callerSignal.reason.name === 'TimeoutError';
    end(isLate ? { kind: 'late', afterMs: performance.now() - startedMs } : { kind: 'aborted' });
  };
  if (callerSignal?.aborted) abort();
  callerSignal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    get ending() {
      return ending;
    },
    limit(budget, timeoutMs) {
      stopTimer();
      if (timeoutMs === undefined) return;
      stopTimer = clock.schedule(timeoutMs, () => end({ kind: 'timeout', budget, timeoutMs }));
    },
    abort: () => end({ kind: 'aborted' }),
    close() {
      stopTimer();
      callerSignal?.removeEventListener('abort', abort);
    },
  };
}
