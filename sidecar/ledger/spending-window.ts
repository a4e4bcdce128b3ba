/**
 * Spending over a rolling span of time, in buckets. A bucket leaves the window only when all of it is older than the
 * span, so the window is never shorter than it says.
 */
import { nothing, units, type Amount } from './amount.ts';
import type { Exhausted } from '../ports.ts';

export class SpendingWindow {
  readonly #bucketMs: number;
  /** One bucket more than the span has, for the one that is partly out. */
  readonly #size: number;
  /** By number, counted from the epoch. */
  readonly #buckets = new Map<number, Amount>();

  /** `spanMs` is cut into `bucketCount` buckets. */
  constructor(spanMs: number, bucketCount: number) {
    this.#bucketMs = spanMs / bucketCount;
    this.#size = bucketCount + 1;
  }

  /** Adds `amount` at `atMs`, or takes it back with `sign` -1. */
  add(atMs: number, amount: Amount, sign: 1 | -1 = 1): void {
    const number = Math.floor(atMs / this.#bucketMs);
    const bucket = this.#buckets.get(number) ?? nothing();
    for (const unit of units) bucket[unit] += sign * amount[unit];
    this.#buckets.set(number, bucket);
  }

  /** The amount spent in the span that ends at `nowMs`; what is older is forgotten. */
  total(nowMs: number): Amount {
    const oldest = Math.floor(nowMs / this.#bucketMs) - this.#size + 1;
    const sum = nothing();
    for (const [number, bucket] of this.#buckets) {
      if (number < oldest) this.#buckets.delete(number);
      else for (const unit of units) sum[unit] += bucket[unit];
    }
    return sum;
  }

  /** When enough has left the window that no more than `target` remains; undefined when waiting does not help. */
  freesAtMs(nowMs: number, unit: Exhausted['unit'], target: number): number | undefined {
    if (target < 0) return undefined;
    let left = this.total(nowMs)[unit];
    for (const [number, bucket] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      left -= bucket[unit];
      if (left <= target + 1e-9) return (number + this.#size) * this.#bucketMs;
    }
    return undefined;
  }
}
