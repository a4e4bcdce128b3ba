/**
 * One model for one task: prepared once, then asked. Everything that a call needs besides its
 * messages is decided here and stays the same; retries, waiting and a shrunken window are told as events.
 * Nothing rejects: a failure is an outcome.
 */
import type { Clock, ModelServer, OnProgress, Outcome } from '../ports.ts';
import { loadingText, waitingText } from '../protocol/passing-status.ts';
import { chooseNumCtx, optionsFor, thinkFor, withSampling } from './call-options.ts';
import type { Sampling, ToolMode } from './call-options.ts';
import type { CatalogEntry } from './catalog.ts';
import { chatPurposes } from './catalog-schema.ts';
import type { ChatPurpose } from './catalog-schema.ts';
import type { ChatMessage, ChatOutcome, ModelFailure, ModelOptions, ToolDefinition } from './chat.ts';
import { createNarration } from './narration.ts';
import { describeModel, loadedWindow, loadModel, retrying } from './prepare-model.ts';
import type { PreparedModel, SessionContext, SessionLimits } from './prepare-model.ts';
import { createPromptMeter } from './prompt-meter.ts';
import { addSpent, nothingSpent, spentOn } from './spent.ts';
import type { Spent } from './spent.ts';

export type { Sampling } from './call-options.ts';
export type { ChatPurpose } from './catalog-schema.ts';
export type { PreparedModel, SessionLimits } from './prepare-model.ts';

/** After so long without a call the server may have unloaded the model; loading gets its own budget again. */
const IDLE_RELOAD_MS = 240_000;
/** Failures after which the server may have lost the model. */
const LOST_MODEL = new Set(['model_unreachable', 'model_incomplete']);

export interface ModelSessionOptions {
  server: ModelServer;
  model: string;
  entry: CatalogEntry;
  /** `config.ollama` fits. */
  limits: SessionLimits;
  /** `config.model.toolMode`. */
  toolMode?: ToolMode | 'auto';
  clock: Clock;
  onProgress?: OnProgress;
  signal?: AbortSignal;
  /** Jitter of the pauses, 0 to 1; for tests. */
  random?: () => number;
}

export interface AskRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** JSON Schema of structured mode; never together with `tools`. */
  format?: object;
  purpose: ChatPurpose;
  /** In place of what the purpose would set; the window is never changed by a call. */
  sampling?: Sampling;
  /** Only called when this purpose streams; after a retry the text begins anew. */
  onDelta?: (delta: { content: string; thinking: string }) => void;
}

/** The answer, with what all attempts for it cost. `truncated`: the server dropped part of the prompt. */
export type AskOutcome = ChatOutcome & { spent: Spent; truncated?: true };

export interface ModelSession {
  /** Shows, pulls if allowed, loads. Done once; later calls get the same outcome unless it was a failure. */
  prepare(): Promise<Outcome<PreparedModel, ModelFailure>>;
  /** One answer; prepares first where that was not done. */
  ask(request: AskRequest): Promise<AskOutcome>;
  /** Whether calls of this purpose stream. */
  streams(purpose: ChatPurpose): boolean;
  /** Tokens that really fit: `num_ctx`, or less when the server loaded less. */
  readonly windowTokens: number;
  /** All that was spent so far, loading included. */
  readonly spent: Readonly<Spent>;
}

export function createModelSession(options: ModelSessionOptions): ModelSession {
  return new Session(options);
}

class Session implements ModelSession {
  readonly #context: SessionContext;
  readonly #options = new Map<string, ModelOptions>();
  readonly #meter = createPromptMeter();
  readonly #spent = nothingSpent();
  #windowTokens: number;
  #preparing: Promise<Outcome<PreparedModel, ModelFailure>> | undefined;
  #lastCallMs = 0;
  #answered = false;
  /** A server that refuses `think` for a model gets no such field again. */
  #sendThink = true;

  constructor({ onProgress, toolMode, ...options }: ModelSessionOptions) {
    const narration = createNarration(options.clock, options.model, onProgress);
    this.#context = { ...options, configuredToolMode: toolMode, narration };
    this.#windowTokens = chooseNumCtx(options.limits.maxContextTokens, options.entry, undefined);
  }

  get windowTokens(): number {
    return this.#windowTokens;
  }

  get spent(): Readonly<Spent> {
    return this.#spent;
  }

  streams(purpose: ChatPurpose): boolean {
    return purpose === 'simple' || this.#context.limits.streamAgentic;
  }

  async prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    this.#preparing ??= this.#prepare();
    const prepared = await this.#preparing;
    if (!prepared.ok) this.#preparing = undefined;
    return prepared;
  }

  async #prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    const described = await describeModel(this.#context);
    if (!described.ok) return described;
    const { numCtx } = described.value;
    for (const purpose of chatPurposes) {
      for (const structured of [false, true]) {
        this.#options.set(
          `${purpose} ${structured}`,
          optionsFor(purpose, structured, this.#context.entry, numCtx),
        );
      }
    }
    this.#windowTokens = numCtx;
    this.#context.narration.status(`${loadingText(this.#context.model)} with a window of ${numCtx} tokens`);
    const loaded = await retrying(this.#context, async () => await this.#load(numCtx));
    if (!loaded.ok) return loaded;
    await this.#compareWindow(numCtx);
    return described;
  }

  async #load(numCtx: number): Promise<ChatOutcome> {
    return await this.#timed(async () => await loadModel(this.#context, numCtx), this.#spent);
  }

  async ask(request: AskRequest): Promise<AskOutcome> {
    const spent = nothingSpent();
    const prepared = await this.prepare();
    if (!prepared.ok) return { ...prepared, spent };
    const outcome = await retrying(this.#context, async (previous) => {
      const reloaded = await this.#loadAgainIfLost(previous, prepared.value.numCtx);
      if (reloaded && !reloaded.ok) return reloaded;
      return await this.#attempt(request, prepared.value, spent);
    });
    addSpent(this.#spent, spent);
    if (!outcome.ok) return { ok: false, failure: asLoopSeesIt(outcome.failure, request), spent };
    await this.#afterFirstAnswer(prepared.value.numCtx);
    const dropped = this.#reportDropped(request, outcome.value.tokensIn);
    return { ...outcome, spent, ...(dropped ? { truncated: true } : {}) };
  }

  async #attempt(request: AskRequest, prepared: PreparedModel, spent: Spent): Promise<ChatOutcome> {
    const call = async () => await this.#timed(async () => await this.#call(request, prepared), spent);
    const outcome = await call();
    if (outcome.ok || outcome.failure.code !== 'thinking_unsupported' || !this.#sendThink) return outcome;
    this.#sendThink = false;
    return await call();
  }

  async #timed(call: () => Promise<ChatOutcome>, sum: Spent): Promise<ChatOutcome> {
    const { clock } = this.#context;
    const startedMs = clock.monotonicMs();
    const outcome = await call();
    this.#lastCallMs = clock.monotonicMs();
    addSpent(sum, spentOn(outcome, this.#lastCallMs - startedMs));
    return outcome;
  }

  async #loadAgainIfLost(
    previous: ModelFailure | undefined,
    numCtx: number,
  ): Promise<ChatOutcome | undefined> {
    const idleMs = this.#context.clock.monotonicMs() - this.#lastCallMs;
    const lost = previous ? LOST_MODEL.has(previous.code) : idleMs > IDLE_RELOAD_MS;
    return lost ? await this.#load(numCtx) : undefined;
  }

  async #call(request: AskRequest, { capabilities }: PreparedModel): Promise<ChatOutcome> {
    const { server, model, entry, limits, signal, narration } = this.#context;
    const { messages, tools, format, purpose, sampling, onDelta } = request;
    const stopWaiting = narration.waiting(waitingText(model));
    const outcome = await server.chat(
      {
        model,
        messages,
        ...(tools?.length ? { tools } : {}),
        ...(format === undefined ? {} : { format }),
        stream: this.streams(purpose),
        ...(this.#sendThink ? { think: thinkFor(purpose, entry, capabilities) } : {}),
        keepAlive: entry.keepAlive,
        options: withSampling(this.#options.get(`${purpose} ${format !== undefined}`), sampling),
      },
      {
        signal,
        timeoutMs: entry.requestTimeoutMs ?? limits.requestTimeoutMs,
        firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
        betweenTokensTimeoutMs: limits.betweenTokensTimeoutMs,
        onDelta: (delta) => {
          stopWaiting();
          onDelta?.(delta);
        },
      },
    );
    stopWaiting();
    return outcome;
  }

  async #afterFirstAnswer(numCtx: number): Promise<void> {
    if (this.#answered) return;
    this.#answered = true;
    await this.#compareWindow(numCtx);
  }

  /** The window really loaded wins; a smaller one is told once. */
  async #compareWindow(numCtx: number): Promise<void> {
    const loaded = await loadedWindow(this.#context);
    if (loaded === undefined || loaded >= this.#windowTokens) return;
    this.#windowTokens = loaded;
    const { narration, model } = this.#context;
    narration.status(
      `Warning: the server loaded ${model} with a window of ${loaded} tokens instead of ${numCtx}`,
    );
  }

  #reportDropped(request: AskRequest, tokensIn: number): boolean {
    const dropped = this.#meter.dropped(request, tokensIn, this.#windowTokens);
    if (!dropped) return false;
    this.#context.narration.status(
      `Warning: the server read only ${tokensIn} of about ${dropped.expectedTokens} tokens; ` +
        `the prompt was cut to a window of ${this.#windowTokens}`,
    );
    return true;
  }
}

/** A server that cannot parse its model's calls, however often it is asked, does not support native tools. */
function asLoopSeesIt(failure: ModelFailure, { tools }: AskRequest): ModelFailure {
  const unusable = failure.code === 'model_malformed_call' && tools !== undefined && tools.length > 0;
  return unusable ? { ...failure, code: 'tools_unsupported', retryable: false } : failure;
}
