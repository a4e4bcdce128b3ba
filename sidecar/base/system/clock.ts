/** Implements the clock with the system's time; tests use their own clock. Timers do not keep the process running. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';
import { onAbort } from './on-abort.ts';

/** Maximum delay of Node's timers. With a longer delay, a timer would fire immediately. */
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
 * Waits `delayMs` on `clock`. Resolves early, without rejecting, when `signal` aborts. Unlike the clock's timers, it keeps the process
 * running, because a script that waits for a retry must not exit before it.
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
 * Runs `work` with a signal that aborts when `signal` aborts, or with a `TimeoutError` after `limitMs`. Unlike
 * `AbortSignal.any`, leaves nothing on `signal` afterwards, which may live as long as the process.
 */
export async function runWithTimeLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  limitMs: number,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): Promise<T> {
  const controller = new AbortController();
  const unlisten = onAbort(signal, () => controller.abort(signal?.reason));
  const cancel = clock.schedule(limitMs, () => controller.abort(createTimeoutError(limitMs)));
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    unlisten();
  }
}

/**
 * Returns a signal that aborts with a `TimeoutError` after `limitMs`. Unlike the one of `AbortSignal.timeout`, it also
 * aborts the signals that `AbortSignal.any` derives from it: Node 20 to 24 may collect a timeout signal that only a
 * derived signal names (https://github.com/nodejs/node/issues/57736).
 */
export function createTimeoutSignal(limitMs: number): AbortSignal {
  const controller = new AbortController();
  systemClock.schedule(limitMs, () => controller.abort(createTimeoutError(limitMs)));
  return controller.signal;
}

const createTimeoutError = (limitMs: number): DOMException =>
  new DOMException(`Timed out after ${limitMs} ms`, 'TimeoutError');

/** Waits for `work`, but at most `limitMs` and only until `signal` aborts. Then clears its timer. Rejects if `work` rejects. */
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
