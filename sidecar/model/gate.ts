/**
 * The gate in front of the model servers. A server gets as many calls at once as it has slots.
 * - Calls of tasks that have begun come first, and of these the task that has waited longest in all. Then come first
 *   questions, in the order of their tasks.
 * - A task may begin, that is ask its first question, only while the tasks that have begun leave slots idle. With more of
 *   them each would take longer and none would end sooner.
 * - Calls of the loaded model go before those that need another one, but no call waits longer than `maxPassedOverMs` for that.
 * - A slot is kept for the task that just had it, as long as waiting costs less than reading its prompt again, and for a
 *   moment in any case: its next question may follow at once. A model is kept for its tasks, as long as waiting costs less
 *   than loading it again.
 * A call that has a slot waits for nothing here, so every wait ends.
 */
import type { Clock } from '../ports.ts';
import { systemClock } from '../system/clock.ts';
import type { ChatOutcome } from './chat.ts';
import type { Endpoint } from './endpoints.ts';
import { GateCaller, type Absences } from './gate-caller.ts';
import { GatePlace, type PlaceState, type Running } from './gate-place.ts';

export interface GateOptions {
  clock?: Clock;
  /** No call waits longer because its model is not loaded. */
  maxPassedOverMs?: number;
  /** Those that are configured. */
  endpoints?: readonly Endpoint[];
}

const DEFAULT_PASSED_OVER_MS = 600_000;
/** Slots count as full when the tasks that have begun use this share of their time. */
const FULL_SHARE = 0.85;

export interface GateCall {
  taskId: string;
  model: string;
  /** It asks nothing. */
  isLoad?: boolean;
  /** Servers that may answer it now; never empty. */
  endpoints: () => readonly Endpoint[];
  /** Whose cache knows the conversation. */
  current?: string | undefined;
  /** None of them answers. */
  isAway: () => boolean;
  signal?: AbortSignal | undefined;
  /** It has to wait. Must not throw. */
  onWait?: () => void;
}

/** A slot; `leave` is called once, when the call has ended. */
export interface Pass {
  endpoint: Endpoint;
  waitedMs: number;
  /** Gives the outcome back with what the gate knows of its cost. */
  leave: (outcome: ChatOutcome) => ChatOutcome;
}

/** What there is to do for the servers. */
export interface GateDemand {
  /** Calls that have a slot or wait for one. */
  calls: number;
  /** Those of them that wait and would have another model loaded. */
  swaps: number;
  /** Servers without a call. */
  idleServers: number;
  /** Slots without a call that those tasks which have begun leave idle. */
  spareSlots: number;
  /** Tasks of a loaded model that wait to begin. */
  beginners: number;
}

interface Waiting {
  call: GateCall;
  caller: GateCaller;
  sinceMs: number;
  settle: (entry: Pass | 'away' | undefined) => void;
}

export class Gate {
  readonly #clock: Clock;
  readonly #maxPassedOverMs: number;
  readonly #places = new Map<string, GatePlace>();
  readonly #callers = new Map<string, GateCaller>();
  readonly #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];
  #order = 0;
  readonly #absences: Absences = {};
  #cancelTimer: () => void = () => undefined;

  constructor({
    clock = systemClock,
    maxPassedOverMs = DEFAULT_PASSED_OVER_MS,
    endpoints = [],
  }: GateOptions = {}) {
    this.#clock = clock;
    this.#maxPassedOverMs = maxPassedOverMs;
    for (const endpoint of endpoints) this.#place(endpoint);
  }

  /** Waits for a slot. `away`: no server answers any more; undefined: the call was cancelled. Never rejects. */
  enter(call: GateCall): Promise<Pass | 'away' | undefined> {
    if (call.signal?.aborted) return Promise.resolve(undefined);
    const caller = this.#caller(call.taskId);
    return new Promise((resolve) => {
      const waiting: Waiting = { call, caller, sinceMs: this.#now(), settle: () => undefined };
      const cancel = (): void => waiting.settle(undefined);
      waiting.settle = (entry) => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        call.signal?.removeEventListener('abort', cancel);
        if (typeof entry !== 'object') caller.withdraw();
        resolve(entry);
        if (typeof entry !== 'object') this.#dispatch();
      };
      caller.come(call.isLoad ?? false, this.#now());
      call.signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(waiting);
      this.#dispatch();
      if (this.#waiting.includes(waiting)) call.onWait?.();
    });
  }

  /** A task whose model the server has loaded will ask it soon. */
  expect(taskId: string, url: string, model: string): void {
    this.#caller(taskId).expectAt(url, model, this.#now());
  }

  /** The task is over: nothing is kept for it. */
  forget(taskId: string): void {
    if (this.#callers.delete(taskId)) this.#dispatch();
  }

  /** Servers went away or are back. */
  recheck(): void {
    for (const { call, settle } of this.#waiting) if (call.isAway()) settle('away');
    this.#dispatch();
  }

  /** Whether the server is known to have the model loaded. */
  isLoaded(url: string, model: string): boolean {
    return this.#places.get(url)?.isLoaded(model) ?? false;
  }

  /** Whether any server is known to have the model loaded. */
  isLoadedAnywhere(model: string): boolean {
    return [...this.#places.values()].some((place) => place.isLoaded(model));
  }

  /** Whether every server would have to load the model in place of another one. */
  wouldSwap(model: string): boolean {
    return [...this.#places.values()].every((place) => place.wouldSwap(model));
  }

  /** Whether it matters what the server has loaded, and nobody has asked it lately. `isChoice`: there are others. */
  wantsLoaded(url: string, model: string, isChoice: boolean): boolean {
    const place = this.#places.get(url);
    if (!place) return isChoice;
    return (isChoice ? !place.isLoaded(model) : place.wouldSwap(model)) && place.isStale(this.#now());
  }

  /** What a server says that it has loaded, be it for others. */
  tellLoaded(endpoint: Endpoint, models: readonly string[]): void {
    this.#place(endpoint).tellLoaded(models, this.#now());
  }

  /** How many calls the server answers at once; undefined while that is not known. */
  slotsOf(url: string): number | undefined {
    return this.#places.get(url)?.knownSlots;
  }

  /** Whether a task has asked a model something yet. */
  hasAsked(taskId: string): boolean {
    return this.#callers.get(taskId)?.hasAsked ?? false;
  }

  get demand(): GateDemand {
    const places = [...this.#places.values()];
    return {
      calls: places.reduce((sum, { running }) => sum + running.length, this.#waiting.length),
      swaps: this.#waiting.filter(({ call }) => this.wouldSwap(call.model)).length,
      idleServers: places.filter(({ running }) => running.length === 0).length,
      spareSlots: places.reduce((sum, place) => sum + (this.#isFull(place) ? 0 : place.freeSlots), 0),
      beginners: this.#waiting.filter(
        ({ call, caller }) => !caller.hasBegun && !call.isLoad && !this.wouldSwap(call.model),
      ).length,
    };
  }

  /** Figures of each server; `waiting` counts a call for the server that it would rather have. */
  get states(): (PlaceState & { waiting: number })[] {
    const wanted = this.#waiting.map(({ call }) => call.endpoints()[0]?.url);
    return [...this.#places.values()].map((place) => ({
      ...place.state(this.#now()),
      waiting: wanted.filter((url) => url === place.url).length,
    }));
  }

  /** Calls `listener` when calls came, began or ended; it must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #dispatch(): void {
    this.#cancelTimer();
    for (let next = this.#next(); next; next = this.#next()) this.#admit(next.waiting, next.place);
    const wakeMs = this.#nextChangeMs();
    if (wakeMs !== undefined) {
      // Whole milliseconds: a timer that fires a fraction early would be set again and again.
      const delayMs = Math.max(1, Math.ceil(wakeMs - this.#now()));
      this.#cancelTimer = this.#clock.schedule(delayMs, () => this.#dispatch());
    }
    for (const listener of this.#listeners) listener();
  }

  #next(): { waiting: Waiting; place: GatePlace } | undefined {
    const inOrder = this.#waiting.toSorted(
      (a, b) =>
        Number(b.caller.hasBegun) - Number(a.caller.hasBegun) ||
        (a.caller.hasBegun ? this.#behindMs(b) - this.#behindMs(a) : 0) ||
        a.caller.order - b.caller.order,
    );
    const overdue = inOrder.filter((one) => this.#dueMs(one) <= this.#now());
    for (const waiting of new Set([...overdue, ...inOrder])) {
      const { model, current } = waiting.call;
      const rate = (place: GatePlace) => (place.url === current ? -1 : place.rating(model));
      const rated = this.#placesFor(waiting).toSorted((a, b) => rate(a) - rate(b));
      const place = rated.find((one) => this.#mayEnter(waiting, one, overdue));
      if (place) return { waiting, place };
    }
    return undefined;
  }

  /** How long a task that has begun has waited for slots in all. */
  #behindMs({ caller, sinceMs }: Waiting): number {
    return caller.waitedMs + this.#now() - sinceMs;
  }

  #mayEnter(waiting: Waiting, place: GatePlace, overdue: readonly Waiting[]): boolean {
    const { model } = waiting.call;
    if (!place.hasRoom || place.isLoading(model)) return false;
    if (!overdue.includes(waiting) && this.#isHeld(waiting, place)) return false;
    const rivals = this.#waiting.filter((one) => one !== waiting && this.#placesFor(one).includes(place));
    if (!place.wouldSwap(model)) {
      // The server is to come free for what waits too long.
      if (rivals.some((one) => overdue.includes(one) && place.wouldSwap(one.call.model))) return false;
      return place.freeSlots > this.#kept(waiting, place, false).length;
    }
    if (place.running.length > 0) return false;
    if (overdue.includes(waiting)) return true;
    const isPassedOver = rivals.some((one) => place.isLoaded(one.call.model) && !this.#isHeld(one, place));
    return !isPassedOver && this.#kept(waiting, place, true).length === 0;
  }

  /** A task that has not begun waits while those that have fill the slots. */
  #isHeld({ caller, call }: Waiting, place: GatePlace): boolean {
    return !caller.hasBegun && !call.isLoad && (this.#isFull(place) || this.#isAwaited(place));
  }

  /** A task that has begun waits for a model that is not loaded any more: the tasks of the loaded one end, and no more begin. */
  #isAwaited(place: GatePlace): boolean {
    return this.#waiting.some(
      (one) => one.caller.hasBegun && place.wouldSwap(one.call.model) && this.#placesFor(one).includes(place),
    );
  }

  #isFull(place: GatePlace): boolean {
    const shares = [...this.#callers.values()].map((one) => one.shareAt(place, this.#now()));
    return shares.reduce((sum, share) => sum + share, 0) >= place.slotsToFill * FULL_SHARE;
  }

  /** Until when slots, or the model, of a place are kept for other tasks that are between two calls. */
  #kept({ caller }: Waiting, place: GatePlace, isSwap: boolean): number[] {
    const nowMs = this.#now();
    return [...this.#callers.values()]
      .filter((one) => one !== caller)
      .map((one) => (isSwap ? one.modelKeptUntilMs(place, nowMs) : one.slotKeptUntilMs(place)))
      .filter((endMs) => endMs > nowMs);
  }

  #admit(waiting: Waiting, place: GatePlace): void {
    const { call, caller, sinceMs, settle } = waiting;
    const waitedMs = this.#now() - sinceMs;
    if (place.wouldSwap(call.model)) caller.passedOverMs += waitedMs;
    const isLoad = call.isLoad ?? false;
    if (caller.hasBegun) caller.waitedMs += waitedMs;
    if (!isLoad && !caller.hasBegun) caller.order = this.#order += 1;
    if (!caller.enter(place, call.model, isLoad)) this.#readOver(place);
    const enteredMs = this.#now();
    const running: Running = place.begin({ model: call.model, isLoad }, enteredMs);
    settle({
      endpoint: place.endpoint,
      waitedMs,
      leave: (outcome) => {
        const nowMs = this.#now();
        place.end(running, outcome, nowMs);
        const loadMs = outcome.ok ? outcome.value.loadNs / 1e6 : 0;
        const callMs = isLoad ? undefined : nowMs - enteredMs - loadMs;
        caller.leave({ nowMs, readMs: place.readMs(call.model, outcome), callMs });
        this.#dispatch();
        if (!outcome.ok) return outcome;
        const { value } = outcome;
        return { ok: true, value: { ...value, readTokens: place.readTokens(value, call.model) } };
      },
    });
  }

  /** Where no other slot is free, a new call takes the one that was left first, and what the server had read there is gone. */
  #readOver(place: GatePlace): void {
    const away = [...this.#callers.values()].flatMap((caller) => {
      const sinceMs = caller.awaySinceMs(place.url);
      return sinceMs === undefined ? [] : [{ caller, sinceMs }];
    });
    if (away.length < place.freeSlots) return;
    const read = away.filter(({ caller }) => caller.readMs > 0);
    read.toSorted((a, b) => a.sinceMs - b.sinceMs)[0]?.caller.readOver();
  }

  /** When a call that waits may enter though nothing ended. */
  #nextChangeMs(): number | undefined {
    const ends = this.#waiting.flatMap((waiting) => [
      this.#dueMs(waiting),
      ...this.#placesFor(waiting).flatMap((place) =>
        this.#kept(waiting, place, place.wouldSwap(waiting.call.model)),
      ),
    ]);
    const isHolding = this.#waiting.some(({ caller }) => !caller.hasBegun);
    if (isHolding) ends.push(...[...this.#callers.values()].map(({ lateAtMs }) => lateAtMs));
    const later = ends.filter((endMs) => endMs > this.#now() && endMs < Infinity);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  #dueMs({ sinceMs, caller }: Waiting): number {
    return sinceMs + Math.max(0, this.#maxPassedOverMs - caller.passedOverMs);
  }

  #placesFor({ call }: Waiting): GatePlace[] {
    return call.endpoints().map((endpoint) => this.#place(endpoint));
  }

  #place(endpoint: Endpoint): GatePlace {
    const known = this.#places.get(endpoint.url);
    if (known) return known;
    const place = new GatePlace(endpoint, this.#now());
    this.#places.set(endpoint.url, place);
    return place;
  }

  #caller(taskId: string): GateCaller {
    const known = this.#callers.get(taskId);
    if (known) return known;
    const caller = new GateCaller((this.#order += 1), this.#absences);
    this.#callers.set(taskId, caller);
    return caller;
  }

  #now(): number {
    return this.#clock.monotonicMs();
  }
}
