/**
 * Simulates a GPU of a scripted server: calls take the time of their tokens, wait for a slot, and find the start of their
 * prompt cached in the slot that read it. It holds a few models; before another one is loaded, calls of the unloaded one
 * end and later calls wait, as in Ollama.
 */
import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../base/ports.ts';
import { sleep } from '../../base/system/clock.ts';
import type { Scenario } from './scenario.ts';

/** Limit of retained work entries. */
const MAX_WORKS = 20_000;

/** The work for one call or one load; times are the clock's, in milliseconds. */
export interface CardWork {
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

interface CardOptions {
  clock: Clock;
  speed: Scenario['speed'];
  slots: number;
  loadedModels: number;
  /** Called when a model is unloaded for another. */
  onUnload: (model: string) => void;
}

interface Slot {
  /** The conversation in the slot's cache. */
  text: string;
  isBusy: boolean;
  usedMs: number;
}

interface Runner {
  model: string;
  window: number;
  slots: Slot[];
  users: number;
  usedMs: number;
}

/** Texts as a template would join them: the next prompt begins with this one and its answer. */
interface CardCall {
  conversation: string;
  prompt: string;
  answer: string;
  promptTokens: number;
  writtenTokens: number;
}

/** A loaded model, in use by a call. */
export interface Seat {
  loadMs: number;
  /** Reads and writes; returns how many tokens were read. */
  work(call: CardCall): Promise<number>;
  leave(): void;
}

export class Card {
  readonly #options: CardOptions;
  readonly #runners = new Map<string, Runner>();
  /** The cached text of each conversation. */
  readonly #known = new Map<string, string>();
  /** `left`: a seat or a slot became free. */
  readonly #news = new EventEmitter().setMaxListeners(0);
  #turn: Promise<unknown> = Promise.resolve();
  readonly works: CardWork[] = [];

  constructor(options: CardOptions) {
    this.#options = options;
  }

  /** Waits until the model is loaded; call `leave` once. */
  async enter(model: string, window: number, loadMs: number, gone: AbortSignal): Promise<Seat> {
    const askedMs = this.#now();
    const entering = this.#turn.then(() => this.#load(model, window, loadMs, gone));
    this.#turn = entering;
    const { runner, tookMs } = await entering;
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      runner.users -= 1;
      runner.usedMs = this.#now();
      this.#news.emit('left');
    };
    return {
      loadMs: tookMs,
      leave,
      work: (call) => this.#work(runner, { ...call, model, askedMs }, gone),
    };
  }

  async #load(
    model: string,
    window: number,
    loadMs: number,
    gone: AbortSignal,
  ): Promise<{ runner: Runner; tookMs: number }> {
    const known = this.#runners.get(model);
    if (known?.window === window || gone.aborted) {
      const runner = known ?? this.#newRunner(model, window);
      runner.users += 1;
      return { runner, tookMs: 0 };
    }
    const mustGo = () => this.#runners.get(model) ?? this.#oldest();
    for (let old = mustGo(); old; old = mustGo()) {
      while (old.users > 0 && !gone.aborted) await this.#waitForChange(gone);
      this.#runners.delete(old.model);
      if (old.model !== model) this.#options.onUnload(old.model);
    }
    const runner = this.#newRunner(model, window);
    this.#runners.set(model, runner);
    runner.users += 1;
    const startedMs = this.#now();
    await sleep(this.#options.clock, loadMs, gone);
    const none = { promptTokens: 0, readTokens: 0, readAgainTokens: 0, writtenTokens: 0 };
    const times = { askedMs: startedMs, startedMs, endedMs: this.#now() };
    this.#note({ model, conversation: '', ...times, isLoad: true, ...none });
    return { runner, tookMs: loadMs };
  }

  #newRunner(model: string, window: number): Runner {
    const slots = Array.from({ length: this.#options.slots }, () => ({ text: '', isBusy: false, usedMs: 0 }));
    return { model, window, slots, users: 0, usedMs: this.#now() };
  }

  /** Returns the model to unload for another; undefined while there is room. */
  #oldest(): Runner | undefined {
    if (this.#runners.size < this.#options.loadedModels) return undefined;
    return [...this.#runners.values()].toSorted((a, b) => a.users - b.users || a.usedMs - b.usedMs)[0];
  }

  async #work(
    runner: Runner,
    call: CardCall & Pick<CardWork, 'model' | 'askedMs'>,
    gone: AbortSignal,
  ): Promise<number> {
    const { conversation, prompt, answer, promptTokens, writtenTokens, model, askedMs } = call;
    let slot = bestSlot(runner.slots, prompt);
    while (!slot && !gone.aborted) {
      await this.#waitForChange(gone);
      slot = bestSlot(runner.slots, prompt);
    }
    if (!slot || gone.aborted) return promptTokens;
    // No await since the slot was found free.
    slot.isBusy = true;
    const startedMs = this.#now();
    const tokensIn = (text: string): number =>
      Math.floor((promptTokens * commonPrefix(text, prompt)) / Math.max(1, prompt.length));
    const cached = tokensIn(slot.text);
    const known = tokensIn(this.#known.get(conversation) ?? '');
    const readTokens = Math.max(1, promptTokens - cached);
    slot.text = prompt + answer;
    this.#known.set(conversation, slot.text);
    const { speed, clock } = this.#options;
    const seconds = readTokens / speed.promptTokensPerSecond + writtenTokens / speed.tokensPerSecond;
    await sleep(clock, seconds * 1_000, gone);
    slot.isBusy = false;
    slot.usedMs = this.#now();
    const readAgainTokens = Math.max(0, Math.min(known - cached, readTokens));
    this.#note({
      model,
      conversation,
      askedMs,
      startedMs,
      endedMs: slot.usedMs,
      isLoad: false,
      promptTokens,
      readTokens,
      readAgainTokens,
      writtenTokens,
    });
    this.#news.emit('left');
    return readTokens;
  }

  #note(work: CardWork): void {
    this.works.push(work);
    if (this.works.length > MAX_WORKS) this.works.shift();
  }

  async #waitForChange(gone: AbortSignal): Promise<void> {
    await once(this.#news, 'left', { signal: gone }).catch(() => undefined);
  }

  #now(): number {
    return this.#options.clock.monotonicMs();
  }
}

/** Returns the free slot with the longest cached prefix of the prompt; of several, the least recently used. */
const bestSlot = (slots: readonly Slot[], prompt: string): Slot | undefined =>
  slots
    .filter(({ isBusy }) => !isBusy)
    .map((slot) => ({ slot, known: commonPrefix(slot.text, prompt) }))
    .toSorted((a, b) => b.known - a.known || a.slot.usedMs - b.slot.usedMs)[0]?.slot;

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
