/**
 * Copies the hub's token bucket. A hub drops frames beyond its limit and bars the worker from tasks for a minute, so a frame is sent only
 * if the bucket surely has a token for it. The copy starts nearly empty if an earlier run may have emptied the hub's bucket, adopts only
 * lower figures of the hub, and has a reserve for urgent frames.
 */
import { DEFAULT_FRAMES_PER_MINUTE } from '../../base/protocol/limits.ts';

/**
 * Priority of a frame, which decides how much of the reserve it may use: `terminal` all, `control` half, `progress`
 * none.
 */
export type FramePriority = 'terminal' | 'control' | 'progress';

/** Minimum number of tokens that are reserved for urgent frames. */
const MIN_RESERVE = 8;
/** Share of the bucket that is reserved for urgent frames, if it is more than `MIN_RESERVE`. */
const RESERVE_SHARE = 0.02;
/** Number of reserves below which the meter counts as low. */
const LOW_RESERVES = 2;

export class FrameMeter {
  readonly #nowMs: () => number;
  #capacity = DEFAULT_FRAMES_PER_MINUTE;
  #tokens: number;
  #countedAtMs: number;
  #blockedUntilMs = 0;

  /** Creates a meter. `nowMs`: a monotonic clock. `isFull`: the hub's bucket is full at the start. */
  constructor(nowMs: () => number, isFull = false) {
    this.#nowMs = nowMs;
    this.#countedAtMs = nowMs();
    this.#tokens = isFull ? this.#capacity : this.#reserve;
  }

  /** Adopts the limit that the hub announced. */
  configure(framesPerMinute: number): void {
    this.#refill();
    const share = this.#tokens / this.#capacity;
    if (framesPerMinute === this.#capacity) return;
    this.#capacity = Math.max(1, framesPerMinute);
    this.#tokens = Math.max(share * this.#capacity, this.#reserve);
  }

  /** Adopts the figures of a `rate_limit_warning`. */
  adoptFigures(remaining: number, capacity?: number): void {
    this.#refill();
    if (capacity !== undefined && capacity >= 1) this.#capacity = capacity;
    this.#tokens = Math.min(this.#tokens, Math.max(0, remaining));
  }

  /** Blocks all frames for `retryAfterMs`, after `rate_limited`. */
  block(retryAfterMs: number): void {
    this.#refill();
    this.#tokens = 0;
    this.#blockedUntilMs = this.#nowMs() + Math.max(0, retryAfterMs);
  }

  /** Takes a token for one frame; returns false if none is available to this priority. */
  tryTake(priority: FramePriority): boolean {
    if (this.computeWaitMs(priority) > 0) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Returns how long a frame of this priority has to wait; 0 if the frame can be sent now. */
  computeWaitMs(priority: FramePriority): number {
    this.#refill();
    const missingTokens = this.#floorOf(priority) + 1 - this.#tokens;
    const refillMs = missingTokens <= 1e-9 ? 0 : Math.ceil((missingTokens / this.#capacity) * 60_000);
    return Math.max(refillMs, this.#blockedUntilMs - this.#nowMs());
  }

  /** Whether optional frames should be dropped. */
  get isLow(): boolean {
    this.#refill();
    return this.#tokens < LOW_RESERVES * this.#reserve;
  }

  get #reserve(): number {
    return Math.min(Math.max(MIN_RESERVE, this.#capacity * RESERVE_SHARE), this.#capacity / 2);
  }

  #floorOf(priority: FramePriority): number {
    // One token is never used: the hub counts only whole tokens, and counts a little later than this worker.
    if (priority === 'terminal') return 1;
    return priority === 'control' ? this.#reserve / 2 : this.#reserve;
  }

  #refill(): void {
    const nowMs = this.#nowMs();
    const refilled = ((nowMs - this.#countedAtMs) * this.#capacity) / 60_000;
    this.#tokens = Math.min(this.#capacity, this.#tokens + Math.max(0, refilled));
    this.#countedAtMs = nowMs;
  }
}
