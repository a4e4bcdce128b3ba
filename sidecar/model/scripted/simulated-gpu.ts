/**
 * Simulates a GPU of a scripted server: calls take the time of their tokens, wait for a slot, and find the start of
 * their prompt cached in the slot that read it. The GPU holds a few models. As in Ollama, another model is loaded only
 * after the running calls of a loaded model have ended, and later calls wait.
 */
import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../base/ports.ts';
import { sleep } from '../../base/system/clock.ts';
import { countSharedStart } from '../../base/values/shared-ends.ts';
import type { Scenario } from './scenario.ts';

/** Maximum number of retained work entries. */
const MAX_WORK_ENTRIES = 20_000;

/** The work for one call or one load; times are the clock's, in milliseconds. */
export interface GpuWork {
  model: string;
  /** Key of a task's conversation; empty for a load. */
  conversation: string;
  askedMs: number;
  /** Time at which the call had a slot and a loaded model, or at which the load began. */
  startedMs: number;
  endedMs: number;
  isLoad: boolean;
  promptTokens: number;
  /** Tokens that were not cached in the slot. */
  readTokens: number;
  /** Tokens of `readTokens` that had been read or written before. */
  readAgainTokens: number;
  writtenTokens: number;
}

interface GpuOptions {
  clock: Clock;
  speed: Scenario['speed'];
  slots: number;
  loadedModels: number;
  /** Called when a model is unloaded for another. */
  onUnload: (model: string) => void;
}

interface GpuSlot {
  /** The conversation in the slot's cache. */
  text: string;
  isBusy: boolean;
  lastUsedMs: number;
}

interface GpuRunner {
  model: string;
  window: number;
  slots: GpuSlot[];
  userCount: number;
  lastUsedMs: number;
}

/** A call with its texts as a template joins them: the next prompt begins with this prompt and its answer. */
interface GpuCall {
  conversation: string;
  prompt: string;
  answer: string;
  promptTokens: number;
  writtenTokens: number;
}

/** A loaded model, in use by a call. */
export interface ModelLease {
  loadMs: number;
  /**
   * Waits for the time that the GPU takes to read the prompt and write the answer. Returns the number of tokens that
   * were read.
   */
  runCall(call: GpuCall): Promise<number>;
  release(): void;
}

export class SimulatedGpu {
  readonly #options: GpuOptions;
  readonly #runners = new Map<string, GpuRunner>();
  /** The cached text of each conversation. */
  readonly #cachedTexts = new Map<string, string>();
  /** `freed`: a model or a slot became free. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  #lastLoad: Promise<unknown> = Promise.resolve();
  readonly workLog: GpuWork[] = [];

  constructor(options: GpuOptions) {
    this.#options = options;
  }

  /** Loads the model if needed. Waits until it is loaded; the caller must call `release` once. */
  async acquireModel(
    model: string,
    window: number,
    loadMs: number,
    signal: AbortSignal,
  ): Promise<ModelLease> {
    const askedMs = this.#now();
    const loading = this.#lastLoad.then(() => this.#load(model, window, loadMs, signal));
    this.#lastLoad = loading;
    const { runner, tookMs } = await loading;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      runner.userCount -= 1;
      runner.lastUsedMs = this.#now();
      this.#events.emit('freed');
    };
    return {
      loadMs: tookMs,
      release,
      runCall: (call) => this.#runCall(runner, { ...call, model, askedMs }, signal),
    };
  }

  async #load(
    model: string,
    window: number,
    loadMs: number,
    signal: AbortSignal,
  ): Promise<{ runner: GpuRunner; tookMs: number }> {
    const loadedRunner = this.#runners.get(model);
    if (loadedRunner?.window === window || signal.aborted) {
      const runner = loadedRunner ?? this.#createRunner(model, window);
      runner.userCount += 1;
      return { runner, tookMs: 0 };
    }
    const findNext = () => this.#runners.get(model) ?? this.#findRunnerToUnload();
    for (let runnerToUnload = findNext(); runnerToUnload; runnerToUnload = findNext()) {
      while (runnerToUnload.userCount > 0 && !signal.aborted) await this.#waitForChange(signal);
      this.#runners.delete(runnerToUnload.model);
      if (runnerToUnload.model !== model) this.#options.onUnload(runnerToUnload.model);
    }
    const runner = this.#createRunner(model, window);
    this.#runners.set(model, runner);
    runner.userCount += 1;
    const startedMs = this.#now();
    await sleep(this.#options.clock, loadMs, signal);
    const noTokens = { promptTokens: 0, readTokens: 0, readAgainTokens: 0, writtenTokens: 0 };
    const times = { askedMs: startedMs, startedMs, endedMs: this.#now() };
    this.#recordWork({ model, conversation: '', ...times, isLoad: true, ...noTokens });
    return { runner, tookMs: loadMs };
  }

  #createRunner(model: string, window: number): GpuRunner {
    const slots = Array.from({ length: this.#options.slots }, () => ({
      text: '',
      isBusy: false,
      lastUsedMs: 0,
    }));
    return { model, window, slots, userCount: 0, lastUsedMs: this.#now() };
  }

  /** Returns the model to unload for another one; undefined while another one fits. */
  #findRunnerToUnload(): GpuRunner | undefined {
    if (this.#runners.size < this.#options.loadedModels) return undefined;
    return [...this.#runners.values()].toSorted(
      (a, b) => a.userCount - b.userCount || a.lastUsedMs - b.lastUsedMs,
    )[0];
  }

  async #runCall(
    runner: GpuRunner,
    call: GpuCall & Pick<GpuWork, 'model' | 'askedMs'>,
    signal: AbortSignal,
  ): Promise<number> {
    const { conversation, prompt, answer, promptTokens, writtenTokens, model, askedMs } = call;
    let slot = chooseSlot(runner.slots, prompt);
    while (!slot && !signal.aborted) {
      await this.#waitForChange(signal);
      slot = chooseSlot(runner.slots, prompt);
    }
    if (!slot || signal.aborted) return promptTokens;
    // No await since the slot was found free.
    slot.isBusy = true;
    const startedMs = this.#now();
    const countTokensOf = (text: string): number =>
      Math.floor((promptTokens * countSharedStart(text, prompt)) / Math.max(1, prompt.length));
    const slotTokens = countTokensOf(slot.text);
    const cachedTokensOfTask = countTokensOf(this.#cachedTexts.get(conversation) ?? '');
    const readTokens = Math.max(1, promptTokens - slotTokens);
    slot.text = prompt + answer;
    this.#cachedTexts.set(conversation, slot.text);
    const { speed, clock } = this.#options;
    const seconds = readTokens / speed.promptTokensPerSecond + writtenTokens / speed.tokensPerSecond;
    await sleep(clock, seconds * 1_000, signal);
    slot.isBusy = false;
    slot.lastUsedMs = this.#now();
    const readAgainTokens = Math.max(0, Math.min(cachedTokensOfTask - slotTokens, readTokens));
    this.#recordWork({
      model,
      conversation,
      askedMs,
      startedMs,
      endedMs: slot.lastUsedMs,
      isLoad: false,
      promptTokens,
      readTokens,
      readAgainTokens,
      writtenTokens,
    });
    this.#events.emit('freed');
    return readTokens;
  }

  #recordWork(work: GpuWork): void {
    this.workLog.push(work);
    if (this.workLog.length > MAX_WORK_ENTRIES) this.workLog.shift();
  }

  async #waitForChange(signal: AbortSignal): Promise<void> {
    await once(this.#events, 'freed', { signal }).catch(() => undefined);
  }

  #now(): number {
    return this.#options.clock.monotonicMs();
  }
}

/** Returns the free slot with the longest cached prefix of the prompt; of several, the least recently used. */
const chooseSlot = (slots: readonly GpuSlot[], prompt: string): GpuSlot | undefined =>
  slots
    .filter(({ isBusy }) => !isBusy)
    .map((slot) => ({ slot, sharedLength: countSharedStart(slot.text, prompt) }))
    .toSorted((a, b) => b.sharedLength - a.sharedLength || a.slot.lastUsedMs - b.slot.lastUsedMs)[0]?.slot;
