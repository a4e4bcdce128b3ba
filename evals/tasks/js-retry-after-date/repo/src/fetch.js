import { isRetried, retryDelayMs } from './retry.js';

/** Calls `send` until it gives a response that is final or `tries` are used up. `wait` takes milliseconds. */
export async function politeFetch(send, { tries = 3, wait, now = Date.now } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send();
    if (!isRetried(response.status) || attempt >= tries) return response;
    await wait(retryDelayMs(response.headers['retry-after'] ?? null, attempt, now()));
  }
}
