/**
 * Tries again what may work the next time: two retries with growing, jittered pauses. A server that is away is waited for
 * instead, where somebody holds the call. The pauses are the clock's and end with the task.
 */
import { sleep } from '../system/clock.ts';
import type { Clock, Failure, Outcome } from '../ports.ts';

const PAUSES_MS = [2000, 8000];
/** The longest pause that a server may ask for. */
const MAX_PAUSE_MS = 300_000;
/** Part of a pause that is random, so that several workers do not come back together. */
const JITTER = 0.25;

export interface Retry {
  number: number;
  of: number;
  pauseMs: number;
}

/** The status before a pause. */
export const retryText = ({ message }: Failure, { number, of, pauseMs }: Retry): string =>
  `${message}; retry ${number} of ${of} in ${(pauseMs / 1000).toFixed(1)} s`;

/** Holds a call for as long as its server is away. */
export interface ServerHold {
  /** Resolves when the server may be asked: at once unless it is known to be away. */
  ready(): Promise<void>;
  /**
   * Waits where the failure is the server's; true when the call is to be made again. `isLast`: no retry would follow, so that
   * a failure which may pass by itself is judged now.
   */
  outlast(failure: Failure, isLast: boolean): Promise<boolean>;
  /** Records that the model answered. */
  answered(): void;
}

export interface RetryContext<F> {
  clock: Clock;
  signal?: AbortSignal;
  /** Called before each pause, with the failure that led to it. */
  onRetry: (failure: F, retry: Retry) => void;
  /** 0 to 1; for tests. */
  random?: () => number;
  /** Without it a server that is away fails the call. */
  hold?: ServerHold;
}

/** Runs `attempt` until it succeeds, fails for good, or has been retried twice. `previous` is the failure before. */
export async function withRetries<
  O extends Outcome<unknown, F>,
  F extends Failure & { retryAfterMs?: number },
>(
  attempt: (previous: F | undefined) => Promise<O>,
  { clock, signal, onRetry, random = Math.random, hold }: RetryContext<F>,
): Promise<O> {
  await hold?.ready();
  let outcome = await attempt(undefined);
  let retries = 0;
  while (!outcome.ok) {
    const { failure } = outcome;
    const baseMs = failure.retryable ? PAUSES_MS[retries] : undefined;
    if (signal?.aborted) return outcome;
    if (await hold?.outlast(failure, baseMs === undefined)) retries = 0;
    else if (baseMs === undefined) return outcome;
    else {
      retries += 1;
      const ownMs = Math.round(baseMs * (1 - JITTER / 2 + JITTER * random()));
      const pauseMs = Math.min(Math.max(ownMs, failure.retryAfterMs ?? 0), MAX_PAUSE_MS);
      onRetry(failure, { number: retries, of: PAUSES_MS.length, pauseMs });
      await sleep(clock, pauseMs, signal);
    }
    if (signal?.aborted) return outcome;
    outcome = await attempt(failure);
  }
  return outcome;
}
