/** Limits the frames per minute of one worker as the public hub does: one bucket, a warning when it is nearly empty. */
import type { Clock } from '../../base/ports.ts';

/** Share of the capacity below which a warning is sent (12 of 60 on the public hub). */
const WARNING_SHARE = 0.2;

type RateLimitDecision =
  | { allowed: true; warning?: { remaining: number; capacity: number } }
  | { allowed: false; retryAfterMs: number };

export class TokenBucket {
  readonly #capacity: number;
  readonly #tokensPerMs: number;
  readonly #clock: Clock;
  #tokens: number;
  #refilledAtMs: number;

  constructor(framesPerMinute: number, clock: Clock) {
    this.#capacity = framesPerMinute;
    this.#tokensPerMs = framesPerMinute / 60_000;
    this.#clock = clock;
    this.#tokens = framesPerMinute;
    this.#refilledAtMs = clock.monotonicMs();
  }

  take(): RateLimitDecision {
    const now = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#refilledAtMs) * this.#tokensPerMs);
    this.#refilledAtMs = now;
    if (this.#tokens < 1)
      return { allowed: false, retryAfterMs: Math.ceil((1 - this.#tokens) / this.#tokensPerMs) };
    this.#tokens -= 1;
    const remaining = Math.floor(this.#tokens);
    if (remaining >= this.#capacity * WARNING_SHARE) return { allowed: true };
    return { allowed: true, warning: { remaining, capacity: this.#capacity } };
  }
}
