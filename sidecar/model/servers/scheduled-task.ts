/**
 * A task as the scheduler sees it, from its first call to its end: how long it has waited, the server of its last call, and
 * how long it stays away between two calls. From that follows how much of a slot's time it uses and what is kept for it.
 */
import type { KnownServer } from './known-server.ts';

/** A task is waited for at least so long, also where tasks stay away for less or nothing is known of that. */
const MIN_AWAY_MS = 1_000;
/** A task that stays away so many times longer than the last time is no longer waited for. */
const LATE = 1.25;
/** So long a slot is kept for the task that left it: often its next question follows at once. */
const FOLLOW_UP_MS = 25;
/** The cost of changing the model, in loads: that of the other model, that of this one later, and the wait of its tasks. */
const LOADS_OF_A_SWAP = 3;

/** How long tasks stay away between two questions, as last measured of any of them. */
export interface UsualAbsence {
  awayMs?: number;
}

export class ScheduledTask {
  /** Smaller for tasks that came earlier or, once they have begun, began earlier. */
  order: number;
  /** A question of it has come. */
  hasAsked = false;
  /** A question of it was let in. */
  hasBegun = false;
  /** How long its calls waited since it has begun. */
  waitedMs = 0;
  /** How long its calls waited for other models. */
  passedOverMs = 0;
  /** Calls that wait or are answered. */
  #calls = 0;
  /** When its last call ended; undefined while it has one. */
  #awaySinceMs: number | undefined;
  #server: KnownServer | undefined;
  #model = '';
  #awayMs: number | undefined;
  #callMs: number | undefined;
  readonly #usual: UsualAbsence;

  /** `usual`: of all tasks; it is kept up to date. */
  constructor(order: number, usual: UsualAbsence) {
    this.order = order;
    this.#usual = usual;
  }

  /** A call of it wants a slot. */
  come(isLoad: boolean, nowMs: number): void {
    if (this.#awaySinceMs !== undefined && this.hasBegun)
      this.#awayMs = this.#usual.awayMs = nowMs - this.#awaySinceMs;
    this.#calls += 1;
    this.hasAsked ||= !isLoad;
  }

  /** A call that came was not let in, and is gone. */
  withdraw(): void {
    this.#calls -= 1;
  }

  /** A question of it will come; its model is loaded there. */
  expectAt(server: KnownServer, model: string, nowMs: number): void {
    if (this.#calls > 0 || this.#awaySinceMs !== undefined) return;
    [this.#server, this.#model, this.#awaySinceMs] = [server, model, nowMs];
  }

  enter(server: KnownServer, model: string, isLoad: boolean): void {
    [this.#server, this.#model, this.#awaySinceMs] = [server, model, undefined];
    this.hasBegun ||= !isLoad;
  }

  /** `callMs`: what the answer took, loading aside; undefined for a load. */
  leave(callMs: number | undefined, nowMs: number): void {
    this.#calls -= 1;
    this.#callMs = callMs ?? this.#callMs;
    if (this.#calls === 0) this.#awaySinceMs = nowMs;
  }

  /** How long the slot that it leaves is kept: hardly at all where waiting costs more than reading its prompt again. */
  slotKeepMs(readMs: number): number {
    const isWorthIt = this.#calls === 0 && this.#expectedAwayMs <= readMs;
    return Math.max(FOLLOW_UP_MS, isWorthIt ? readMs : 0);
  }

  /** Until when its model is kept for it; 0 where it stays away for longer than changing the model takes. */
  modelKeptUntilMs(server: KnownServer): number {
    if (this.#awaySinceMs === undefined || !this.#isAt(server)) return 0;
    const swapMs = LOADS_OF_A_SWAP * server.loadMsOf(this.#model);
    return this.#expectedAwayMs > swapMs ? 0 : this.#awaySinceMs + swapMs;
  }

  /** The share of a slot's time that it uses while its model is loaded, from 0 to 1; 0 before its first question and when it is late. */
  shareAt(server: KnownServer, nowMs: number): number {
    if (!this.hasBegun || !this.#isAt(server) || this.lateAtMs <= nowMs) return 0;
    if (this.#callMs === undefined) return 1;
    return this.#callMs / Math.max(1, this.#callMs + this.#expectedAwayMs);
  }

  /** When it is no longer waited for; infinite while it has a call, be it one that waits. */
  get lateAtMs(): number {
    if (this.#awaySinceMs === undefined || this.#calls > 0) return Infinity;
    return this.#awaySinceMs + Math.max(MIN_AWAY_MS, this.#expectedAwayMs * LATE);
  }

  get #expectedAwayMs(): number {
    return this.#awayMs ?? (this.hasBegun ? this.#usual.awayMs : undefined) ?? 0;
  }

  #isAt(server: KnownServer): boolean {
    return this.#server === server && server.isLoaded(this.#model);
  }
}
