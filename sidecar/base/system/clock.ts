/** Implements the system clock; tests inject their own. Timers do not keep the process running. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';

/** Longest delay that Node's timers support. Longer timers would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Runs `run` every `intervalMs` on `clock`, first after one interval. Returns a function that stops the
 * repetition.
 */
export function runEvery(clock: Clock, intervalMs: number, run: () => void): () => void {
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.schedule(intervalMs, () => {
      next();
      run();
    });
  };
  next();
  return () => cancel();
}

/**
 * Waits `delayMs` on `clock`. Resolves early, without rejecting, when `signal` aborts. Unlike a plain timer,
 * it keeps the process running, because a script that awaits a retry must not exit before it.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      clearInterval(keepAliveTimer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.schedule(delayMs, finish);
    const keepAliveTimer = setInterval(() => undefined, MAX_TIMER_MS);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/**
 * Waits for `work`, at most `limitMs` or until `signal` aborts, and clears its timer. Rejects if `work`
 * rejects.
 */
export async function waitAtMost(
  clock: Clock,
  work: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const timeout = sleep(clock, limitMs, signal ? AbortSignal.any([signal, done.signal]) : done.signal);
  try {
    await Promise.race([work, timeout]);
  } finally {
    done.abort();
  }
}
