/** One model server as the scheduler knows it: its slots, what it has loaded, what its calls cost, whether it is up. */
import type { ChatOutcome, ChatReply } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import type { ScheduledTask } from './scheduled-task.ts';
import { ServerCondition, type ServerConditionOptions } from './server-condition.ts';
import { isAskedFor, type ServerSettings } from './server-settings.ts';

/** A shorter load was none: Ollama reports some 200 ms of a model that is loaded. */
const MIN_LOAD_MS = 500;
/** The loaded models of a server may have changed after so long. */
const STALE_MS = 2_000;
/** How much of the slowest reading is forgotten with each call; faster ones found their prompt cached. */
const FORGOTTEN_SHARE = 0.02;

export interface RunningCall {
  task: ScheduledTask;
  model: string;
  /** It asks nothing. */
  isLoad: boolean;
  /** The server had the model when it began, as far as was known. */
  wasLoaded: boolean;
  startedMs: number;
}

interface Slot {
  call?: RunningCall | undefined;
  /** The task that left it, and until when no other one gets it. */
  keptFor?: ScheduledTask | undefined;
  keptUntilMs: number;
}

/** For metrics; times since the start. */
export interface ServerFigures {
  url: string;
  slots: number;
  running: number;
  /** Sum over all slots. */
  busyMs: number;
  loads: number;
}

export class KnownServer {
  readonly settings: ServerSettings;
  readonly condition: ServerCondition;
  readonly #slots: readonly Slot[];
  #loaded: readonly string[] = [];
  #loadedAtMs = -Infinity;
  readonly #loadMs = new Map<string, number>();
  readonly #readMsPerToken = new Map<string, number>();
  #busyMs = 0;
  #countedMs: number;
  #loads = 0;

  constructor(options: Omit<ServerConditionOptions, 'isIdle'>) {
    const { settings, clock } = options;
    this.settings = settings;
    this.condition = new ServerCondition({ ...options, isIdle: () => this.running.length === 0 });
    this.#slots = Array.from({ length: settings.slots }, () => ({ keptUntilMs: 0 }));
    this.#countedMs = clock.monotonicMs();
  }

  get url(): string {
    return this.settings.url;
  }

  /** Whether the operator lets it be asked for the model. */
  isFor(model: string): boolean {
    return isAskedFor(this.settings, model);
  }

  get running(): RunningCall[] {
    return this.#slots.flatMap(({ call }) => call ?? []);
  }

  get freeSlots(): number {
    return this.#slots.length - this.running.length;
  }

  /** When slots are no longer kept, for a task or at all. */
  get keptUntilMs(): number[] {
    return this.#slots.map((slot) => slot.keptUntilMs);
  }

  /** The better, the smaller: has it loaded, then how full it is. */
  rating(model: string): number {
    return (this.isLoaded(model) ? 0 : 1) + this.running.length / (this.#slots.length + 1);
  }

  isLoaded(model: string): boolean {
    return this.#loaded.some((name) => isSameModel(name, model));
  }

  /** Whether a call of the model would have it loaded in place of another one. */
  wouldSwap(model: string): boolean {
    return this.#loaded.length > 0 && !this.isLoaded(model);
  }

  /** Whether it matters what the server has loaded, and nobody has asked it lately. `isChoice`: there are others. */
  wantsLoaded(model: string, isChoice: boolean, nowMs: number): boolean {
    const matters = isChoice ? !this.isLoaded(model) : this.wouldSwap(model);
    return matters && nowMs - this.#loadedAtMs > STALE_MS;
  }

  noteLoaded(models: readonly string[], nowMs: number): void {
    // The running call loads its model, whatever the server has said before.
    const coming = this.running.map(({ model }) => model).filter((model) => !models.includes(model));
    this.#loaded = [...models, ...new Set(coming)];
    this.#loadedAtMs = nowMs;
  }

  /** No slot works for the model meanwhile. */
  isLoading(model: string): boolean {
    return this.running.some((one) => one.isLoad && isSameModel(one.model, model));
  }

  /** Whether a slot is free that is kept for no other task. */
  hasSlotFor(task: ScheduledTask, nowMs: number): boolean {
    return this.#slotFor(task, nowMs) !== undefined;
  }

  /** The task's last one, else the one that was left first. */
  #slotFor(task: ScheduledTask, nowMs: number): Slot | undefined {
    const free = this.#slots.filter(({ call }) => !call);
    const others = free.filter(({ keptUntilMs }) => keptUntilMs <= nowMs);
    return (
      free.find(({ keptFor }) => keptFor === task) ??
      others.toSorted((a, b) => a.keptUntilMs - b.keptUntilMs)[0]
    );
  }

  /** A call takes a slot; where it changes the model, nothing is kept for tasks of the other one. */
  begin(
    task: ScheduledTask,
    { model, isLoad }: Pick<RunningCall, 'model' | 'isLoad'>,
    nowMs: number,
  ): RunningCall {
    this.#count(nowMs);
    const wasLoaded = this.isLoaded(model);
    if (!wasLoaded) {
      this.#loaded = [model];
      for (const slot of this.#slots) slot.keptUntilMs = 0;
    }
    const slot = this.#slotFor(task, nowMs);
    if (!slot) throw new Error(`no slot of ${this.url} is free`);
    const call = { task, model, isLoad, wasLoaded, startedMs: nowMs };
    [slot.call, slot.keptFor] = [call, undefined];
    return call;
  }

  /** The call is over. Its slot is kept for its task, which has noted the end. */
  end(call: RunningCall, outcome: ChatOutcome, nowMs: number): void {
    this.#count(nowMs);
    if (outcome.ok) this.#learn(call, outcome.value);
    const keptUntilMs = nowMs + call.task.slotKeepMs(this.#readMs(call.model, outcome));
    const slot = this.#slots.find((one) => one.call === call);
    if (slot) Object.assign(slot, { call: undefined, keptFor: call.task, keptUntilMs });
    // It may not be loaded any more, or never was.
    if (!outcome.ok && outcome.failure.code !== 'aborted')
      this.#loaded = this.#loaded.filter((name) => !isSameModel(name, call.model));
  }

  /** The task is over. */
  forget(task: ScheduledTask): void {
    for (const slot of this.#slots)
      if (slot.keptFor === task) [slot.keptFor, slot.keptUntilMs] = [undefined, 0];
  }

  /** The last time that the model took to load, in milliseconds; 0 where that is not known. */
  loadMsOf(model: string): number {
    return this.#loadMs.get(model) ?? 0;
  }

  /** How many tokens of the prompt were not cached: what is read takes its time. */
  readTokens({ tokensIn, promptEvalNs }: ChatReply, model: string): number {
    const msPerToken = this.#readMsPerToken.get(model) ?? 0;
    return msPerToken > 0 ? Math.min(tokensIn, Math.round(promptEvalNs / 1e6 / msPerToken)) : tokensIn;
  }

  /** The time to read again all that the call has read and written. */
  #readMs(model: string, outcome: ChatOutcome): number {
    const tokens = outcome.ok ? outcome.value.tokensIn + outcome.value.tokensOut : 0;
    return tokens * (this.#readMsPerToken.get(model) ?? 0);
  }

  figures(nowMs: number): ServerFigures {
    this.#count(nowMs);
    const { length: slots } = this.#slots;
    return { url: this.url, slots, running: this.running.length, busyMs: this.#busyMs, loads: this.#loads };
  }

  #count(nowMs: number): void {
    this.#busyMs += (nowMs - this.#countedMs) * this.running.length;
    this.#countedMs = nowMs;
  }

  #learn({ model, isLoad, wasLoaded }: RunningCall, { loadNs, promptEvalNs, tokensIn }: ChatReply): void {
    const loadMs = loadNs / 1e6;
    // The time of a call that only loads, where nothing is to load, shows how busy the server is.
    if (loadMs >= MIN_LOAD_MS && !(isLoad && wasLoaded)) {
      this.#loads += 1;
      this.#loadMs.set(model, loadMs);
    }
    if (tokensIn === 0) return;
    const before = (this.#readMsPerToken.get(model) ?? 0) * (1 - FORGOTTEN_SHARE);
    this.#readMsPerToken.set(model, Math.max(before, promptEvalNs / 1e6 / tokensIn));
  }
}
