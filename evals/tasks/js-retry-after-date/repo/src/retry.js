export const MAX_DELAY_MS = 120_000;

const RETRIED = new Set([429, 502, 503, 504]);

/** Whether a response of this status is worth another try. */
export function isRetried(status) {
  return RETRIED.has(status);
}

/**
 * How long to wait before the next try, at most MAX_DELAY_MS.
 * `retryAfter` is the header's text or null; without a usable one the wait doubles with each attempt (from 1).
 */
export function retryDelayMs(retryAfter, attempt, now = Date.now()) {
  if (retryAfter !== null && /^\d+$/.test(retryAfter.trim())) {
    return Math.min(Number(retryAfter) * 1000, MAX_DELAY_MS);
  }
  return Math.min(500 * 2 ** (attempt - 1), MAX_DELAY_MS);
}
