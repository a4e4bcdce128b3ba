/**
 * Tries again what may work the next time: two retries with growing, jittered pauses.
 * The pauses are the clock's and end with the task.
 */
import { sleep } from '../system/clock.ts';
import type { Clock, Failure, Outcome } from '../ports.ts';

const PAUSES_MS = [2000, 8000];
/** Part of a pause that is random, so that several workers do not come back together. */
const JITTER = 0.25;

export interface Retry {
  number: number;
  of: number;
  pauseMs: number;
}

/** What the timeline says before a pause. */
export const retryText = ({ message }: Failure, { number, of, pauseMs }: Retry): string =>
  `${message}; retry ${number} of ${of} in ${(pauseMs / 1000).toFixed(1)} s`;

export interface RetryContext<F> {
  clock: Clock;
  signal?: AbortSignal;
  /** Called before each pause, with the failure that led to it. */
  onRetry: (failure: F, retry: Retry) => void;
  /** 0 to 1; for tests. */
  random?: () => number;
}

/** Runs `attempt` until it succeeds, fails for good, or has been retried twice. `previous` is the failure before. */
export async function withRetries<O extends Outcome<unknown, F>, F extends Failure>(
  attempt: (previous: F | undefined) => Promise<O>,
  { clock, signal, onRetry, random = Math.random }: RetryContext<F>,
): Promise<O> {
  let outcome = await attempt(undefined);
  for (const [index, baseMs] of PAUSES_MS.entries()) {
    if (outcome.ok || !outcome.failure.retryable || signal?.aborted) return outcome;
    const pauseMs = Math.round(baseMs * (1 - JITTER / 2 + JITTER * random()));
    onRetry(outcome.failure, { number: index + 1, of: PAUSES_MS.length, pauseMs });
    await sleep(clock, pauseMs, signal);
    if (signal?.aborted) return outcome;
    outcome = await attempt(outcome.failure);
  }
  return outcome;
}
