/**
 * Retries failures that may be temporary: twice, with growing, jittered pauses. With a `ServerHold`, a call waits for a
 * server that is down instead. Pauses use the clock and end with the task.
 */
import { sleep } from '../base/system/clock.ts';
import type { Clock } from '../base/ports.ts';
import type { Failure, Outcome } from '../base/values/outcome.ts';

const RETRY_PAUSES_MS = [2000, 8000];
/** Maximum pause that a server can request. */
const MAX_PAUSE_MS = 300_000;
/** Random share of a pause, so that several workers do not retry at the same time. */
const JITTER_SHARE = 0.25;

export interface RetryInfo {
  number: number;
  maxRetries: number;
  pauseMs: number;
}

/** Returns the text of the status that is emitted before a pause. */
export const formatRetry = ({ message }: Failure, { number, maxRetries, pauseMs }: RetryInfo): string =>
  `${message}; retry ${number} of ${maxRetries} in ${(pauseMs / 1000).toFixed(1)} s`;

/** Hold of calls while their server is down. */
export interface ServerHold {
  /** Resolves when the server may be called: at once unless it is known to be down. */
  waitUntilReady(signal?: AbortSignal): Promise<void>;
  /**
   * Waits for recovery if the failure is the server's. Returns true if the call must be repeated; false when `signal`
   * aborts. `isLast`: whether no retry would follow.
   */
  waitForRecovery(failure: Failure, isLast: boolean, signal?: AbortSignal): Promise<boolean>;
  /** Records that the model answered. */
  recordAnswer(): void;
}

export interface RetryContext<F> {
  clock: Clock;
  signal?: AbortSignal;
  /** Called before each pause, with the failure that caused it. */
  onRetry: (failure: F, retry: RetryInfo) => void;
  /** Returns the jitter of a pause, from 0 to 1; for tests. */
  random?: () => number;
  /** Holds calls while the server is down; if undefined, such a call fails. */
  hold?: ServerHold;
}

/** Runs `attempt` until it succeeds, fails permanently, or was retried twice. `previous` is the failure of the attempt before. */
export async function runWithRetries<
  O extends Outcome<unknown, F>,
  F extends Failure & { retryAfterMs?: number },
>(
  attempt: (previous: F | undefined) => Promise<O>,
  { clock, signal, onRetry, random = Math.random, hold }: RetryContext<F>,
): Promise<O> {
  await hold?.waitUntilReady(signal);
  let outcome = await attempt(undefined);
  let retries = 0;
  while (!outcome.ok) {
    const { failure } = outcome;
    const baseMs = failure.retryable ? RETRY_PAUSES_MS[retries] : undefined;
    if (signal?.aborted) return outcome;
    if (await hold?.waitForRecovery(failure, baseMs === undefined, signal)) retries = 0;
    else if (baseMs === undefined) return outcome;
    else {
      retries += 1;
      const backoffMs = Math.round(baseMs * (1 - JITTER_SHARE / 2 + JITTER_SHARE * random()));
      const pauseMs = Math.min(Math.max(backoffMs, failure.retryAfterMs ?? 0), MAX_PAUSE_MS);
      onRetry(failure, { number: retries, maxRetries: RETRY_PAUSES_MS.length, pauseMs });
      await sleep(clock, pauseMs, signal);
    }
    if (signal?.aborted) return outcome;
    outcome = await attempt(failure);
  }
  return outcome;
}
