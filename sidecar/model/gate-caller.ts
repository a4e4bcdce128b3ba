/**
 * What the gate knows of a task, from its first call to its end: the server of its last call, how long it stays away between
 * two calls, and from that how much of a slot's time it uses.
 */
import type { GatePlace } from './gate-place.ts';

/** A task is waited for at least so long, also where tasks stay away for less or nothing is known of that. */
const MIN_AWAY_MS = 1_000;
/** A task that stays away so many times longer than the last time is no longer waited for. */
const LATE = 1.25;
/** So long a slot is kept for the task that left it: often its next question follows at once. */
const FOLLOW_UP_MS = 25;
/** What changing the model costs, in loads: that of the other model, that of this one later, and the wait of its tasks. */
const LOADS_OF_A_SWAP = 3;

/** How long tasks stay away, as last measured of any of them; undefined before the first. */
export interface Absences {
  /** From the load of its model to a task's first question. */
  firstMs?: number;
  /** Between two questions. */
  nextMs?: number;
}

export class GateCaller {
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
  /** Since its last call ended; what reading its prompt again would take. */
  #away: { sinceMs: number; readMs: number } | undefined;
  #url = '';
  #model = '';
  #awayMs: number | undefined;
  #longestMs: number | undefined;
  #callMs: number | undefined;
  readonly #others: Absences;

  /** `others`: of all tasks; it is kept up to date. */
  constructor(order: number, others: Absences) {
    this.order = order;
    this.#others = others;
  }

  come(isLoad: boolean, nowMs: number): void {
    if (this.#away && this.hasBegun) {
      this.#awayMs = this.#others.nextMs = nowMs - this.#away.sinceMs;
      this.#longestMs = Math.max(this.#awayMs, this.#longestMs ?? 0);
    } else if (this.#away && !isLoad) this.#others.firstMs = nowMs - this.#away.sinceMs;
    this.#calls += 1;
    this.hasAsked ||= !isLoad;
  }

  /** A call that came was not let in, and is gone. */
  withdraw(): void {
    this.#calls -= 1;
  }

  /** A question of it will come; its model is loaded there. */
  expectAt(url: string, model: string, nowMs: number): void {
    if (this.#calls > 0 || this.#away) return;
    [this.#url, this.#model] = [url, model];
    this.#away = { sinceMs: nowMs, readMs: 0 };
  }

  /** Whether its prompt was still read there. */
  enter({ url }: GatePlace, model: string, isLoad: boolean): boolean {
    const wasRead = this.#url === url && this.readMs > 0;
    [this.#url, this.#model] = [url, model];
    this.#away = undefined;
    this.hasBegun ||= !isLoad;
    return wasRead;
  }

  /** `callMs`: what the answer took, loading aside; undefined for a load. */
  leave({ nowMs, readMs, callMs }: { nowMs: number; readMs: number; callMs: number | undefined }): void {
    this.#calls -= 1;
    this.#callMs = callMs ?? this.#callMs;
    if (this.#calls === 0) this.#away = { sinceMs: nowMs, readMs };
  }

  get readMs(): number {
    return this.#away?.readMs ?? 0;
  }

  /** What it had read is gone. */
  readOver(): void {
    if (this.#away) this.#away.readMs = 0;
  }

  awaySinceMs(url: string): number | undefined {
    return this.#url === url ? this.#away?.sinceMs : undefined;
  }

  /** The share of a slot's time that it uses while its model is loaded, from 0 to 1; 0 before its first question and when it is late. */
  shareAt(place: GatePlace, nowMs: number): number {
    if (!this.hasBegun || !this.#isAt(place) || this.lateAtMs <= nowMs) return 0;
    if (this.#callMs === undefined) return 1;
    return this.#callMs / Math.max(1, this.#callMs + (this.#expectedMs ?? 0));
  }

  /** When it is no longer waited for; infinite while it has a call, be it one that waits. */
  get lateAtMs(): number {
    if (!this.#away || this.#calls > 0) return Infinity;
    return this.#away.sinceMs + Math.max(MIN_AWAY_MS, (this.#expectedMs ?? 0) * LATE);
  }

  /** Until when a slot is kept for it: hardly at all where waiting would cost more than reading its prompt again. */
  slotKeptUntilMs(place: GatePlace): number {
    if (!this.#away || !this.#isAt(place)) return 0;
    const { sinceMs, readMs } = this.#away;
    const isWorthIt = (this.#expectedMs ?? 0) <= readMs;
    return sinceMs + Math.max(FOLLOW_UP_MS, isWorthIt ? readMs : 0);
  }

  /** Until when its model is kept for it; 0 where waiting would cost more than changing the model. */
  modelKeptUntilMs(place: GatePlace, nowMs: number): number {
    if (!this.#away || !this.#isAt(place)) return 0;
    const { sinceMs } = this.#away;
    const swapMs = LOADS_OF_A_SWAP * place.loadMsOf(this.#model);
    // Questions that follow at once, its own or those of others, say nothing of its next check.
    const expectedMs = (this.hasBegun ? this.#longestMs : this.#others.firstMs) ?? swapMs;
    if (swapMs === 0 || sinceMs + expectedMs - nowMs > swapMs) return 0;
    return sinceMs + Math.max(MIN_AWAY_MS, expectedMs * LATE);
  }

  get #expectedMs(): number | undefined {
    return this.hasBegun ? (this.#awayMs ?? this.#others.nextMs) : this.#others.firstMs;
  }

  #isAt(place: GatePlace): boolean {
    return this.#url === place.url && place.isLoaded(this.#model);
  }
}
