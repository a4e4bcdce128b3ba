/**
 * The worker's own copy of the hub's token bucket. A hub drops what does not fit and
 * bars the worker from tasks for a minute, so a frame is sent only when the bucket surely has room: the copy
 * begins nearly empty where an earlier run may have emptied the hub's, only ever believes a lower figure, and keeps
 * a reserve for the frames that must not wait.
 */
import { DEFAULT_FRAMES_PER_MINUTE } from '../protocol/limits.ts';

/** How much of the reserve a frame may take: `terminal` all, `control` half, `progress` nothing. */
export type FramePriority = 'terminal' | 'control' | 'progress';

/** Frames kept back; more for large buckets. */
const RESERVE = 8;
const RESERVE_SHARE = 0.02;
/** Below so many reserves the meter is low. */
const LOW_RESERVES = 2;

export class FrameMeter {
  readonly #nowMs: () => number;
  #capacity = DEFAULT_FRAMES_PER_MINUTE;
  #tokens: number;
  #countedAtMs: number;
  #blockedUntilMs = 0;

  /** `nowMs`: a clock that only goes forward. `isFull`: the hub's bucket surely is at the start. */
  constructor(nowMs: () => number, isFull = false) {
    this.#nowMs = nowMs;
    this.#countedAtMs = nowMs();
    this.#tokens = isFull ? this.#capacity : this.#reserve;
  }

  /** The hub announced its own limit. */
  configure(framesPerMinute: number): void {
    this.#refill();
    const share = this.#tokens / this.#capacity;
    if (framesPerMinute === this.#capacity) return;
    this.#capacity = Math.max(1, framesPerMinute);
    this.#tokens = Math.max(share * this.#capacity, this.#reserve);
  }

  /** `rate_limit_warning`: what the hub has left. */
  learn(remaining: number, capacity?: number): void {
    this.#refill();
    if (capacity !== undefined && capacity >= 1) this.#capacity = capacity;
    this.#tokens = Math.min(this.#tokens, Math.max(0, remaining));
  }

  /** `rate_limited`: nothing goes before `retryAfterMs` is over. */
  block(retryAfterMs: number): void {
    this.#refill();
    this.#tokens = 0;
    this.#blockedUntilMs = this.#nowMs() + Math.max(0, retryAfterMs);
  }

  /** Takes room for one frame, or says that there is none now. */
  tryTake(priority: FramePriority): boolean {
    if (this.waitMs(priority) > 0) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until a frame of this priority may go; 0 for now. */
  waitMs(priority: FramePriority): number {
    this.#refill();
    const missing = this.#floor(priority) + 1 - this.#tokens;
    const refillMs = missing <= 1e-9 ? 0 : Math.ceil((missing / this.#capacity) * 60_000);
    return Math.max(refillMs, this.#blockedUntilMs - this.#nowMs());
  }

  /** So little room that frames without which nobody misses anything are better left out. */
  get isLow(): boolean {
    this.#refill();
    return this.#tokens < LOW_RESERVES * this.#reserve;
  }

  get #reserve(): number {
    return Math.min(Math.max(RESERVE, this.#capacity * RESERVE_SHARE), this.#capacity / 2);
  }

  #floor(priority: FramePriority): number {
    // One token is never taken: the hub counts in whole ones and a little later than we do.
    if (priority === 'terminal') return 1;
    return priority === 'control' ? this.#reserve / 2 : this.#reserve;
  }

  #refill(): void {
    const nowMs = this.#nowMs();
    const gained = ((nowMs - this.#countedAtMs) * this.#capacity) / 60_000;
    this.#tokens = Math.min(this.#capacity, this.#tokens + Math.max(0, gained));
    this.#countedAtMs = nowMs;
  }
}
