/** How often the public hub lets an agent speak: token buckets, light for pings and normal for the rest. */
import type { Clock } from '../../sidecar/base/ports.ts';
import type { Received } from './hub-double.ts';

const LIGHT_TYPES = new Set(['ping']);

interface Bucket {
  tokens: number;
  atMs: number;
}

export class HubDoubleBuckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  readonly #punishedUntilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token for a frame; `notice` is what the hub says about it, if anything. */
  take(agentId: string, type: string): { allowed: boolean; notice?: Received } {
    const light = LIGHT_TYPES.has(type);
    const capacity = light ? 120 : 60;
    const nowMs = this.#clock.now();
    const key = `${agentId}:${light ? 'light' : 'normal'}`;
    const bucket = this.#buckets.get(key) ?? { tokens: capacity, atMs: nowMs };
    const tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.atMs) * capacity) / 60_000);
    if (tokens < 1) {
      this.#buckets.set(key, { tokens, atMs: nowMs });
      this.#punishedUntilMs.set(agentId, nowMs + 60_000);
      return { allowed: false, notice: { type: 'rate_limited', retry_after_ms: 1000, tier: 'normal' } };
    }
    const left = tokens - 1;
    this.#buckets.set(key, { tokens: left, atMs: nowMs });
    if (left >= capacity * 0.2) return { allowed: true };
    const remaining = Math.floor(left);
    return { allowed: true, notice: { type: 'rate_limit_warning', tier: 'normal', remaining, capacity } };
  }

  /** Whether it spoke too often within the last minute; such an agent gets no tasks. */
  isPunished(agentId: string): boolean {
    return (this.#punishedUntilMs.get(agentId) ?? 0) > this.#clock.now();
  }

  /** Leaves so many tokens for its normal frames. */
  drain(agentId: string, left: number): void {
    this.#buckets.set(`${agentId}:normal`, { tokens: left, atMs: this.#clock.now() });
  }

  /** Every bucket is full again. */
  clear(): void {
    this.#buckets.clear();
  }
}
