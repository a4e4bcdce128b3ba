/** The real clock; tests inject their own. Timers do not keep the process alive by themselves. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';

/** Longest delay that Node's timers take; longer ones would fire at once. */
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

/** Runs `run` every `intervalMs` on `clock`, for the first time after one of them; the returned function ends that. */
export function every(clock: Clock, intervalMs: number, run: () => void): () => void {
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
 * Waits `delayMs` on `clock`; ends early, without rejecting, when `signal` aborts. Somebody waits for this, so unlike
 * a timer by itself it keeps the process alive: a script that awaits a retry must not end in the middle of it.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      clearInterval(hold);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.schedule(delayMs, finish);
    const hold = setInterval(() => undefined, MAX_TIMER_MS);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** Waits for `work`, at most `limitMs` or until `signal` aborts; no timer is left behind. Rejects as `work` does. */
export async function waitAtMost(
  clock: Clock,
  work: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const limit = sleep(clock, limitMs, signal ? AbortSignal.any([signal, done.signal]) : done.signal);
  try {
    await Promise.race([work, limit]);
  } finally {
    done.abort();
  }
}
