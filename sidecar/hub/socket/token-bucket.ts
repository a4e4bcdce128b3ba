/** Limits the frames per minute of one worker as the public hub does: one bucket, a warning when it is nearly empty. */
import type { Clock } from '../../base/ports.ts';

/** Share of the capacity below which a warning is sent (12 of 60 on the public hub). */
const WARN_BELOW = 0.2;

type RateLimitDecision =
  | { allowed: true; warning?: { remaining: number; capacity: number } }
  | { allowed: false; retryAfterMs: number };

export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(framesPerMinute: number, clock: Clock) {
    this.#capacity = framesPerMinute;
    this.#perMs = framesPerMinute / 60_000;
    this.#clock = clock;
    this.#tokens = framesPerMinute;
    this.#atMs = clock.monotonicMs();
  }

  take(): RateLimitDecision {
    const now = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#atMs) * this.#perMs);
    this.#atMs = now;
    if (this.#tokens < 1)
      return { allowed: false, retryAfterMs: Math.ceil((1 - this.#tokens) / this.#perMs) };
    this.#tokens -= 1;
    const remaining = Math.floor(this.#tokens);
    if (remaining >= this.#capacity * WARN_BELOW) return { allowed: true };
    return { allowed: true, warning: { remaining, capacity: this.#capacity } };
  }
}
