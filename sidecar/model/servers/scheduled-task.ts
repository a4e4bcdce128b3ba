/**
 * A task in the scheduler, from its first call to its end: its waiting time, its last server, and its pauses between
 * calls. These determine its share of a slot and its reservations.
 */
import type { KnownServer } from './known-server.ts';

/** Minimum time to wait for a task's next call. */
const MIN_AWAY_MS = 1_000;
/** A task is late after this multiple of its last pause. */
const LATE_FACTOR = 1.25;
/** How long a freed slot stays reserved for its task, which often asks again at once. */
const FOLLOW_UP_MS = 25;
/** Cost of changing the model, in loads: the other model, this one later, and the wait of its tasks. */
const LOADS_OF_A_SWAP = 3;

/** The last measured pause of any task between two questions. */
export interface UsualAbsence {
  awayMs?: number;
}

export class ScheduledTask {
  /** Smaller for tasks that came or, once they have begun, began earlier. */
  order: number;
  /** Whether a question of the task has come. */
  hasAsked = false;
  /** Whether a question of the task got a slot. */
  hasBegun = false;
  /** How long its calls waited since it began. */
  waitedMs = 0;
  /** How long its calls waited for other models. */
  passedOverMs = 0;
  /** Calls that wait or run. */
  #calls = 0;
  /** When its last call ended; undefined while it has one. */
  #awaySinceMs: number | undefined;
  #server: KnownServer | undefined;
  #model = '';
  #awayMs: number | undefined;
  #callMs: number | undefined;
  readonly #usual: UsualAbsence;

  /** `usual`: shared by all tasks, and updated here. */
  constructor(order: number, usual: UsualAbsence) {
    this.order = order;
    this.#usual = usual;
  }

  /** Records that a call of the task needs a slot. */
  come(isLoad: boolean, nowMs: number): void {
    if (this.#awaySinceMs !== undefined && this.hasBegun)
      this.#awayMs = this.#usual.awayMs = nowMs - this.#awaySinceMs;
    this.#calls += 1;
    this.hasAsked ||= !isLoad;
  }

  /** Removes a call that never got a slot. */
  withdraw(): void {
    this.#calls -= 1;
  }

  /** Expects a question of the task at a server, where its model is loaded. */
  expectAt(server: KnownServer, model: string, nowMs: number): void {
    if (this.#calls > 0 || this.#awaySinceMs !== undefined) return;
    [this.#server, this.#model, this.#awaySinceMs] = [server, model, nowMs];
  }

  enter(server: KnownServer, model: string, isLoad: boolean): void {
    [this.#server, this.#model, this.#awaySinceMs] = [server, model, undefined];
    this.hasBegun ||= !isLoad;
  }

  /** Records the end of a call. `callMs`: its duration without loading; undefined for a load. */
  leave(callMs: number | undefined, nowMs: number): void {
    this.#calls -= 1;
    this.#callMs = callMs ?? this.#callMs;
    if (this.#calls === 0) this.#awaySinceMs = nowMs;
  }

  /** Returns how long to reserve the task's slot: only briefly if waiting costs more than reading its prompt again. */
  slotKeepMs(readMs: number): number {
    const isWorthIt = this.#calls === 0 && this.#expectedAwayMs <= readMs;
    return Math.max(FOLLOW_UP_MS, isWorthIt ? readMs : 0);
  }

  /** Returns until when to reserve its model; 0 if its pauses are longer than changing the model takes. */
  modelKeptUntilMs(server: KnownServer): number {
    if (this.#awaySinceMs === undefined || !this.#isAt(server)) return 0;
    const swapMs = LOADS_OF_A_SWAP * server.loadMsOf(this.#model);
    return this.#expectedAwayMs > swapMs ? 0 : this.#awaySinceMs + swapMs;
  }

  /** Returns its share of a slot's time with its model loaded, 0 to 1; 0 before its first question and when late. */
  shareAt(server: KnownServer, nowMs: number): number {
    if (!this.hasBegun || !this.#isAt(server) || this.lateAtMs <= nowMs) return 0;
    if (this.#callMs === undefined) return 1;
    return this.#callMs / Math.max(1, this.#callMs + this.#expectedAwayMs);
  }

  /** When the task counts as late; infinite while it has a call. */
  get lateAtMs(): number {
    if (this.#awaySinceMs === undefined || this.#calls > 0) return Infinity;
    return this.#awaySinceMs + Math.max(MIN_AWAY_MS, this.#expectedAwayMs * LATE_FACTOR);
  }

  get #expectedAwayMs(): number {
    return this.#awayMs ?? (this.hasBegun ? this.#usual.awayMs : undefined) ?? 0;
  }

  #isAt(server: KnownServer): boolean {
    return this.#server === server && server.isLoaded(this.#model);
  }
}
