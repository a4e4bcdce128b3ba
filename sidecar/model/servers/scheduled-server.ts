/** The state of one model server for the scheduler: its slots, loaded models, call costs and condition. */
import type { ChatOutcome, ChatReply } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import type { ReadingSpeeds } from '../reading-speeds.ts';
import { ServerCondition, type ServerConditionOptions } from './server-condition.ts';
import { isModelAllowed, type ServerSettings } from './server-settings.ts';

/** Minimum duration of a load that counts: Ollama reports some 200 ms for a model that is loaded already. */
const MIN_LOAD_MS = 500;
/** How long a freed slot stays reserved for its task, which often asks again at once. */
const FOLLOW_UP_MS = 25;
/** How long a slot has to be idle before another task begins. */
const IDLE_MS = 500;
/**
 * Cost of replacing the loaded model, in model loads: to load the other model, to load this model again later, and the
 * wait of its tasks.
 */
const SWAP_COST_LOADS = 3;
/** How long a report of the loaded models is valid. */
const REPORT_VALID_MS = 2_000;

/** A task in the scheduler, from its first call to its end. */
export interface ScheduledTask {
  /** Rank of the task: smaller for tasks that arrived earlier or, once begun, began earlier. */
  rank: number;
  /** Whether the task has made a call. */
  hasAsked: boolean;
  /** Whether a call of the task got a slot. */
  hasBegun: boolean;
  /** How long the task's calls have waited since the task began. */
  waitedMs: number;
  /** How long the task's calls have waited because other models were loaded. */
  passedOverMs: number;
  /** Server of the task's last call, or of its next call if that is expected already. */
  server?: ScheduledServer;
  /** Model of the same call as `server`. */
  model?: string;
}

export interface RunningCall {
  task: ScheduledTask;
  model: string;
  /** Whether the call only loads the model. */
  isLoad: boolean;
  /** Whether the model was already loaded when the call got its slot; false if unknown. */
  wasLoaded: boolean;
  startedMs: number;
}

interface ServerSlot {
  call?: RunningCall | undefined;
  /** Task of the slot's last call. */
  lastTask?: ScheduledTask | undefined;
  /** Time at which the slot's last call ended; -Infinity if the slot is free for any task. */
  idleSinceMs: number;
}

/** Metrics of a server since the start of the process. */
export interface ServerMetrics {
  url: string;
  slots: number;
  runningCount: number;
  /** Time of running calls, summed over all slots. */
  busyMs: number;
  loadCount: number;
}

export class ScheduledServer {
  readonly settings: ServerSettings;
  readonly condition: ServerCondition;
  readonly #slots: readonly ServerSlot[];
  #loadedModels: readonly string[] = [];
  #loadedAtMs = -Infinity;
  readonly #loadMs = new Map<string, number>();
  readonly #speeds: ReadingSpeeds;
  /** Time at which the last call of any slot ended. */
  #idleSinceMs = -Infinity;
  #busyMs = 0;
  #busyCountedAtMs: number;
  #loadCount = 0;

  constructor(options: Omit<ServerConditionOptions, 'isIdle'>, speeds: ReadingSpeeds) {
    const { settings, clock } = options;
    this.settings = settings;
    this.#speeds = speeds;
    this.condition = new ServerCondition({ ...options, isIdle: () => this.runningCalls.length === 0 });
    this.#slots = Array.from({ length: settings.slots }, () => ({ idleSinceMs: -Infinity }));
    this.#busyCountedAtMs = clock.monotonicMs();
  }

  get url(): string {
    return this.settings.url;
  }

  /** Returns whether the configuration allows the model on this server. */
  allowsModel(model: string): boolean {
    return isModelAllowed(this.settings, model);
  }

  get runningCalls(): RunningCall[] {
    return this.#slots.flatMap(({ call }) => call ?? []);
  }

  /** Returns how many slots have been idle for at least `IDLE_MS`. */
  countIdleSlots(nowMs: number): number {
    return this.#slots.filter(({ call, idleSinceMs }) => !call && nowMs - idleSinceMs >= IDLE_MS).length;
  }

  /** Times at which a slot or the model ceases to be reserved. */
  get reservationEndsMs(): number[] {
    const slots = this.#slots.flatMap(({ idleSinceMs }) =>
      [FOLLOW_UP_MS, IDLE_MS].map((ms) => idleSinceMs + ms),
    );
    return [...slots, this.modelReservedUntilMs];
  }

  /** Time until which the loaded model stays reserved for the next call of its tasks. */
  get modelReservedUntilMs(): number {
    return (
      this.#idleSinceMs +
      SWAP_COST_LOADS * Math.max(0, ...this.#loadedModels.map((model) => this.loadMsOf(model)))
    );
  }

  /** Rates the server for a model, lower is better: loaded first, then by free slots. */
  rateForModel(model: string): number {
    return (this.isLoaded(model) ? 0 : 1) + this.runningCalls.length / (this.#slots.length + 1);
  }

  isLoaded(model: string): boolean {
    return this.#loadedModels.some((name) => isSameModel(name, model));
  }

  /** Returns whether a call would replace another loaded model. */
  wouldSwap(model: string): boolean {
    return this.#loadedModels.length > 0 && !this.isLoaded(model);
  }

  /** Returns whether the loaded models affect the choice and were not read recently. `hasAlternatives`: other servers are available. */
  needsLoadedModels(model: string, hasAlternatives: boolean, nowMs: number): boolean {
    const isRelevant = hasAlternatives ? !this.isLoaded(model) : this.wouldSwap(model);
    return isRelevant && nowMs - this.#loadedAtMs > REPORT_VALID_MS;
  }

  recordLoaded(models: readonly string[], nowMs: number): void {
    // Running calls load their models, whatever the server reported before.
    const loadingModels = this.runningCalls
      .map(({ model }) => model)
      .filter((model) => !models.includes(model));
    this.#loadedModels = [...models, ...new Set(loadingModels)];
    this.#loadedAtMs = nowMs;
  }

  /** Returns whether the model is being loaded; its slots answer nothing until then. */
  isLoading(model: string): boolean {
    return this.runningCalls.some((one) => one.isLoad && isSameModel(one.model, model));
  }

  /** Returns whether a slot is free and not reserved for another task. */
  hasSlotFor(task: ScheduledTask, nowMs: number): boolean {
    return this.#findSlot(task, nowMs) !== undefined;
  }

  /** Returns the task's last slot, otherwise the unreserved slot that was free the longest. */
  #findSlot(task: ScheduledTask, nowMs: number): ServerSlot | undefined {
    const free = this.#slots.filter(({ call }) => !call);
    const unreserved = free.filter(({ idleSinceMs }) => nowMs - idleSinceMs >= FOLLOW_UP_MS);
    return (
      free.find(({ lastTask }) => lastTask === task) ??
      unreserved.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs)[0]
    );
  }

  /** Starts a call in a slot; replacing the loaded model cancels all reservations. */
  startCall(
    task: ScheduledTask,
    { model, isLoad }: Pick<RunningCall, 'model' | 'isLoad'>,
    nowMs: number,
  ): RunningCall {
    this.#updateBusyTime(nowMs);
    const wasLoaded = this.isLoaded(model);
    if (!wasLoaded) {
      this.#loadedModels = [model];
      for (const slot of this.#slots) slot.idleSinceMs = -Infinity;
    }
    const slot = this.#findSlot(task, nowMs);
    if (!slot) throw new Error(`no slot of ${this.url} is free`);
    const call = { task, model, isLoad, wasLoaded, startedMs: nowMs };
    slot.call = call;
    return call;
  }

  /** Ends a call. `freshShare`: the share of the prompt that the server cannot have cached. */
  endCall(call: RunningCall, outcome: ChatOutcome, freshShare: number, nowMs: number): void {
    this.#updateBusyTime(nowMs);
    if (outcome.ok) this.#updateSpeeds(call, outcome.value, freshShare);
    this.#idleSinceMs = nowMs;
    const slot = this.#slots.find((one) => one.call === call);
    if (slot) {
      slot.call = undefined;
      // After a load the slot is as idle as before.
      if (!call.isLoad) [slot.lastTask, slot.idleSinceMs] = [call.task, nowMs];
    }
    // The model may have been unloaded, or was never loaded.
    if (!outcome.ok && outcome.failure.code !== 'aborted')
      this.#loadedModels = this.#loadedModels.filter((name) => !isSameModel(name, call.model));
  }

  /** Frees the slots of a task that has ended. */
  forgetTask(task: ScheduledTask): void {
    for (const slot of this.#slots)
      if (slot.lastTask === task) [slot.lastTask, slot.idleSinceMs] = [undefined, -Infinity];
  }

  /** Returns the last load time of the model in milliseconds; 0 if unknown. */
  loadMsOf(model: string): number {
    return this.#loadMs.get(model) ?? 0;
  }

  /** Returns the uncached tokens of a prompt, estimated from its reading time if the server does not report them. */
  countReadTokens({ tokensIn, tokensCached, promptEvalNs }: ChatReply, model: string): number {
    if (tokensCached !== undefined) return Math.max(0, tokensIn - tokensCached);
    const speed = this.#speeds.speedOf(model, this.url);
    return speed === undefined ? tokensIn : Math.min(tokensIn, Math.round((promptEvalNs / 1e9) * speed));
  }

  getMetrics(nowMs: number): ServerMetrics {
    this.#updateBusyTime(nowMs);
    const { length: slots } = this.#slots;
    return {
      url: this.url,
      slots,
      runningCount: this.runningCalls.length,
      busyMs: this.#busyMs,
      loadCount: this.#loadCount,
    };
  }

  #updateBusyTime(nowMs: number): void {
    this.#busyMs += (nowMs - this.#busyCountedAtMs) * this.runningCalls.length;
    this.#busyCountedAtMs = nowMs;
  }

  #updateSpeeds({ model, isLoad, wasLoaded }: RunningCall, reply: ChatReply, freshShare: number): void {
    const { loadNs, promptEvalNs, tokensIn, tokensCached, isEstimated } = reply;
    const loadMs = loadNs / 1e6;
    // A load call for a loaded model only measures how busy the server is.
    if (loadMs >= MIN_LOAD_MS && !(isLoad && wasLoaded)) {
      this.#loadCount += 1;
      this.#loadMs.set(model, loadMs);
    }
    if (isEstimated) return;
    const promptTokens = tokensIn - (tokensCached ?? 0);
    const freshTokens = tokensCached === undefined ? Math.round(tokensIn * freshShare) : promptTokens;
    this.#speeds.recordCall(model, this.url, { promptTokens, freshTokens, promptEvalNs });
  }
}
