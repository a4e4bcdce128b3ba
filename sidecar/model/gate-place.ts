/**
 * One model server as the gate sees it: how many calls it answers at once, which run, what it has loaded, what its calls
 * cost. Where nobody says how many slots it has, one call more than is sure is let in from time to time: whether it was
 * answered beside the others or after one of them shows in the server's own counts.
 */
import type { ChatOutcome, ChatReply } from './chat.ts';
import { isSameModel } from './choose-model.ts';
import type { Endpoint } from './endpoints.ts';

/** More is not tried. */
const MAX_TRIED_SLOTS = 8;
/** A call beside another one tells something if both ran for so long. */
const MIN_OVERLAP_MS = 100;
/** Share of its time beside others that a call with a slot of its own may have waited. */
const QUEUED_SHARE = 0.5;
/** Others may use the server too: one call that waited says little. */
const QUEUED_TRIALS = 2;
/** A shorter load was none: Ollama tells some 200 ms of a model that is loaded. */
const MIN_LOAD_MS = 500;
/** What a server has loaded may have changed after so long. */
const STALE_MS = 2_000;
/** How much of the slowest reading is forgotten with each call; faster ones found their prompt cached. */
const FORGOTTEN_SHARE = 0.02;

export interface Running {
  model: string;
  /** It asks nothing. */
  isLoad: boolean;
  /** The server had the model when it began, as far as was known. */
  wasLoaded: boolean;
  startedMs: number;
  /** It is one more than is sure; `freedMs`: when another one ended. */
  trial?: { freedMs?: number };
}

/** For metrics; times since the start. */
export interface PlaceState {
  url: string;
  slots: number;
  running: number;
  /** Sum over all slots. */
  busyMs: number;
  loads: number;
}

export class GatePlace {
  readonly endpoint: Endpoint;
  running: readonly Running[] = [];
  #sureSlots = 1;
  #isSure = false;
  /** Trials in a row that had to wait. */
  #queued = 0;
  #loaded: readonly string[] = [];
  #loadedAtMs = -Infinity;
  readonly #loadMs = new Map<string, number>();
  readonly #readMsPerToken = new Map<string, number>();
  #busyMs = 0;
  #countedMs: number;
  #loads = 0;

  constructor(endpoint: Endpoint, nowMs: number) {
    this.endpoint = endpoint;
    this.#countedMs = nowMs;
  }

  get url(): string {
    return this.endpoint.url;
  }

  /** As far as is known. */
  get slots(): number {
    return this.endpoint.concurrency ?? this.#sureSlots;
  }

  get knownSlots(): number | undefined {
    return this.endpoint.concurrency ?? (this.#isSure ? this.#sureSlots : undefined);
  }

  /** How many tasks it can work for at once, one more than is sure while that is to be found out. */
  get slotsToFill(): number {
    return this.knownSlots ?? this.#sureSlots + 1;
  }

  get freeSlots(): number {
    const tried = this.knownSlots === undefined && !this.running.some(({ trial }) => trial) ? 1 : 0;
    return this.slots + tried - this.running.length;
  }

  get hasRoom(): boolean {
    return this.freeSlots > 0;
  }

  /** The better, the smaller: has it loaded, then how full it is. */
  rating(model: string): number {
    return (this.isLoaded(model) ? 0 : 1) + this.running.length / (this.slots + 1);
  }

  isLoaded(model: string): boolean {
    return this.#loaded.some((name) => isSameModel(name, model));
  }

  /** Whether a call of the model would have it loaded in place of another one. */
  wouldSwap(model: string): boolean {
    return this.#loaded.length > 0 && !this.isLoaded(model);
  }

  isStale(nowMs: number): boolean {
    return nowMs - this.#loadedAtMs > STALE_MS;
  }

  tellLoaded(models: readonly string[], nowMs: number): void {
    // What runs is being loaded, whatever the server has said before.
    const coming = this.running.map(({ model }) => model).filter((model) => !models.includes(model));
    this.#loaded = [...models, ...new Set(coming)];
    this.#loadedAtMs = nowMs;
  }

  /** No slot works for the model meanwhile. */
  isLoading(model: string): boolean {
    return this.running.some((one) => one.isLoad && isSameModel(one.model, model));
  }

  begin({ model, isLoad }: Pick<Running, 'model' | 'isLoad'>, nowMs: number): Running {
    this.#count(nowMs);
    const isTrial = this.running.length >= this.slots;
    const wasLoaded = this.isLoaded(model);
    const running: Running = { model, isLoad, wasLoaded, startedMs: nowMs, ...(isTrial && { trial: {} }) };
    this.running = [...this.running, running];
    if (!wasLoaded) this.#loaded = [model];
    return running;
  }

  end(running: Running, outcome: ChatOutcome, nowMs: number): void {
    this.#count(nowMs);
    this.running = this.running.filter((one) => one !== running);
    for (const { trial } of this.running) if (trial) trial.freedMs ??= nowMs;
    if (!outcome.ok) {
      // It may not be loaded any more, or never was.
      if (outcome.failure.code !== 'aborted') this.#forget(running.model);
      return;
    }
    this.#learn(running, outcome.value);
    this.#judge(running, outcome.value, nowMs);
  }

  #forget(model: string): void {
    this.#loaded = this.#loaded.filter((name) => !isSameModel(name, model));
  }

  /** What loading the model took the last time; 0 where that is not known. */
  loadMsOf(model: string): number {
    return this.#loadMs.get(model) ?? 0;
  }

  /** How many tokens of the prompt were not cached: what is read takes its time. */
  readTokens({ tokensIn, promptEvalNs }: ChatReply, model: string): number {
    const msPerToken = this.#readMsPerToken.get(model) ?? 0;
    return msPerToken > 0 ? Math.min(tokensIn, Math.round(promptEvalNs / 1e6 / msPerToken)) : tokensIn;
  }

  /** What it would take to read again what the call has read and written. */
  readMs(model: string, outcome: ChatOutcome): number {
    const tokens = outcome.ok ? outcome.value.tokensIn + outcome.value.tokensOut : 0;
    return tokens * (this.#readMsPerToken.get(model) ?? 0);
  }

  state(nowMs: number): PlaceState {
    this.#count(nowMs);
    const { url, slots, running } = this;
    return { url, slots, running: running.length, busyMs: this.#busyMs, loads: this.#loads };
  }

  #count(nowMs: number): void {
    this.#busyMs += (nowMs - this.#countedMs) * this.running.length;
    this.#countedMs = nowMs;
  }

  #learn({ model, isLoad, wasLoaded }: Running, { loadNs, promptEvalNs, tokensIn }: ChatReply): void {
    const loadMs = loadNs / 1e6;
    // What a call that only loads takes where nothing is to load says how busy the server is.
    if (loadMs >= MIN_LOAD_MS && !(isLoad && wasLoaded)) {
      this.#loads += 1;
      this.#loadMs.set(model, loadMs);
    }
    if (tokensIn === 0) return;
    const before = (this.#readMsPerToken.get(model) ?? 0) * (1 - FORGOTTEN_SHARE);
    this.#readMsPerToken.set(model, Math.max(before, promptEvalNs / 1e6 / tokensIn));
  }

  #judge({ trial, startedMs }: Running, reply: ChatReply, nowMs: number): void {
    if (!trial || this.knownSlots !== undefined) return;
    const besideMs = (trial.freedMs ?? nowMs) - startedMs;
    if (besideMs < MIN_OVERLAP_MS) return;
    const workedMs = (reply.loadNs + reply.promptEvalNs + reply.evalNs) / 1e6;
    const waitedMs = nowMs - startedMs - workedMs;
    const hadToWait = waitedMs > besideMs * QUEUED_SHARE;
    this.#queued = hadToWait ? this.#queued + 1 : 0;
    if (!hadToWait) this.#sureSlots += 1;
    this.#isSure = this.#queued >= QUEUED_TRIALS || this.#sureSlots >= MAX_TRIED_SLOTS;
  }
}
