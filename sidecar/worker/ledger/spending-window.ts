/**
 * Spending over a rolling time span, in a fixed number of buckets, so that adding and reading take constant time. A bucket
 * leaves the window only when all of it is older than the span.
 */
import { createZeroAmount, units, type Amount } from './amount.ts';
import type { Exhausted } from '../../solving/run-ports.ts';

export class SpendingWindow {
  readonly #bucketMs: number;
  readonly #buckets: Amount[];
  readonly #sum = createZeroAmount();
  /** Number of the newest bucket, counted from the epoch. */
  #newestBucket = Number.NEGATIVE_INFINITY;

  /** Divides `spanMs` into `bucketCount` buckets, plus one that is partly outside. */
  constructor(spanMs: number, bucketCount: number) {
    this.#bucketMs = spanMs / bucketCount;
    this.#buckets = Array.from({ length: bucketCount + 1 }, createZeroAmount);
  }

  /** Adds `amount` at `atMs`, or subtracts it with `sign` -1. Amounts older than the window are ignored. */
  add(atMs: number, amount: Amount, sign: 1 | -1 = 1): void {
    const bucketNumber = Math.floor(atMs / this.#bucketMs);
    this.#advanceTo(bucketNumber);
    if (bucketNumber <= this.#newestBucket - this.#buckets.length) return;
    const bucket = this.#bucketAt(bucketNumber);
    for (const unit of units) {
      bucket[unit] += sign * amount[unit];
      this.#sum[unit] += sign * amount[unit];
    }
  }

  /** Returns the amount spent in the span that ends at `nowMs`. The object is reused by later calls. */
  totalAt(nowMs: number): Readonly<Amount> {
    this.#advanceTo(Math.floor(nowMs / this.#bucketMs));
    return this.#sum;
  }

  /** Returns when at most `target` remains in the window; undefined if waiting does not help. */
  computeFreeAtMs(nowMs: number, unit: Exhausted['unit'], target: number): number | undefined {
    let remaining = this.totalAt(nowMs)[unit];
    if (target < 0) return undefined;
    const size = this.#buckets.length;
    for (
      let bucketNumber = this.#newestBucket - size + 1;
      bucketNumber <= this.#newestBucket;
      bucketNumber += 1
    ) {
      remaining -= this.#bucketAt(bucketNumber)[unit];
      if (remaining <= target + 1e-9) return (bucketNumber + size) * this.#bucketMs;
    }
    return undefined;
  }

  #bucketAt(bucketNumber: number): Amount {
    const size = this.#buckets.length;
    return this.#buckets[((bucketNumber % size) + size) % size] as Amount;
  }

  #advanceTo(bucketNumber: number): void {
    const steps = Math.min(bucketNumber - this.#newestBucket, this.#buckets.length);
    if (!(steps > 0)) return;
    for (let step = 0; step < steps; step += 1) this.#clearBucket(bucketNumber - step);
    this.#newestBucket = bucketNumber;
  }

  #clearBucket(bucketNumber: number): void {
    const bucket = this.#bucketAt(bucketNumber);
    for (const unit of units) {
      this.#sum[unit] = Math.max(0, this.#sum[unit] - bucket[unit]);
      bucket[unit] = 0;
    }
  }
}
