/**
 * One model for one task: prepared once, then asked. Everything that a call needs besides its
 * messages is decided here and stays the same; retries, waiting and a shrunken window are emitted as events.
 * Nothing rejects: a failure is an outcome.
 */
import type { EndOfAnswer, OnProgress, Outcome } from '../ports.ts';
import { chooseNumCtx, optionsFor, thinkFor, withSampling } from './call-options.ts';
import type { Sampling, ToolMode } from './call-options.ts';
import { chatPurposes } from './catalog-schema.ts';
import type { ChatPurpose, Think } from './catalog-schema.ts';
import type {
  ChatMessage,
  ChatOutcome,
  ChatReply,
  ModelFailure,
  ModelOptions,
  ToolDefinition,
} from './chat.ts';
import { createNarration, narrateCall, type CallNarration } from './narration.ts';
import { bringBack, describeModel, loadedWindow, loadModel, retrying } from './prepare-model.ts';
import type { PreparedModel, SessionContext } from './prepare-model.ts';
import { memoryAdvice } from './memory-advice.ts';
import { PromptMeter } from './prompt-meter.ts';
import { addSpent, nothingSpent, spentOn } from './spent.ts';
import { thinkingBudget, watchThinking, type ThinkingWatch } from './thinking-budget.ts';
import type { Spent } from './spent.ts';

export type { Sampling } from './call-options.ts';
export type { ChatPurpose } from './catalog-schema.ts';
export type { PreparedModel } from './prepare-model.ts';

/** After so long without a call the server may have unloaded the model; loading gets its own budget again. */
const IDLE_RELOAD_MS = 240_000;
/** Failures after which the server may have lost the model. */
const LOST_MODEL = new Set([
  'model_unreachable',
  'model_incomplete',
  'model_server_error',
  'model_out_of_memory',
  'model_load_failed',
  'model_malformed_call',
]);
/** A window is not halved below this. */
const MIN_WINDOW_TOKENS = 4096;

export interface ModelSessionOptions extends Omit<SessionContext, 'narration' | 'configuredToolMode'> {
  /** `config.model.toolMode`. */
  toolMode?: ToolMode | 'auto';
  /** Counts the tokens that the server does not count. */
  estimator: TokenEstimates;
  onProgress?: OnProgress;
  /** Hears of each call that goes to the server. */
  callEvents?: CallEvents;
}

export type CallKind = 'load' | 'answer';
/** A call begins, with the messages of its prompt where it has one. May not throw, nor may what it returns. */
export type CallEvents = (kind: CallKind, messages?: AskRequest['messages']) => CallListener;
export interface CallListener {
  /** A piece of the answer, where it is streamed to nobody else. */
  wrote: (text: string) => void;
  ended: (outcome: ChatOutcome, durationMs: number) => void;
}

/** The events of a call under way. */
interface CallListeners extends Partial<Pick<CallListener, 'wrote'>> {
  narrated: CallNarration;
}

/** How many tokens something most likely is. */
export interface TokenEstimates {
  likely: (prompt: Pick<AskRequest, 'messages' | 'tools'>) => number;
  text: (text: string) => number;
}

export interface AskRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** JSON Schema of structured mode; never together with `tools`. */
  format?: object;
  purpose: ChatPurpose;
  /** In place of what the purpose would set; the window is never changed by a call. */
  sampling?: Sampling;
  /** Ends this call alone, before the task is stopped. */
  signal?: AbortSignal | undefined;
  /** Ends the answer by what it holds; such a call streams. */
  endOf?: EndOfAnswer | undefined;
  /** Gets the answer as it is written, in place of `callEvents`; only when this purpose streams. After a retry the text begins anew. */
  onDelta?: (delta: { content: string; thinking: string }) => void;
}

/** The answer, with what all attempts for it cost. `truncated`: the server dropped part of the prompt. */
export type AskOutcome = ChatOutcome & { spent: Spent; truncated?: true };

export class ModelSession {
  #context: SessionContext;
  readonly #options = new Map<string, ModelOptions>();
  readonly #meter = new PromptMeter();
  /** All that was spent so far, loading included. */
  readonly spent = nothingSpent();
  #windowTokens: number;
  /** The parameters of every call. */
  #numCtx = 0;
  #isHalved = false;
  #preparing: Promise<Outcome<PreparedModel, ModelFailure>> | undefined;
  #lastCallMs = 0;
  /** Estimate of the longest prompt that was answered. */
  #answeredTokens = 0;
  #answered = false;
  /** A server that refuses `think` for a model gets no such field again. */
  #sendThink = true;
  readonly #callEvents: CallEvents | undefined;
  readonly #estimator: TokenEstimates;
  #saidEstimated = false;

  constructor({ onProgress, toolMode, callEvents, estimator, ...options }: ModelSessionOptions) {
    this.#callEvents = callEvents;
    this.#estimator = estimator;
    const narration = createNarration(options.clock, options.model, onProgress);
    this.#context = { ...options, configuredToolMode: toolMode, narration };
    this.#windowTokens = chooseNumCtx(options.limits.maxContextTokens, options.entry, undefined);
  }

  /** Tokens that really fit: `num_ctx`, or less when the server loaded less. */
  get windowTokens(): number {
    return this.#windowTokens;
  }

  #streams(purpose: ChatPurpose): boolean {
    return purpose === 'simple' || this.#context.limits.streamAgentic;
  }

  /** Shows, pulls if allowed, loads. Done once; later calls get the same outcome unless it was a failure. */
  async prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    this.#preparing ??= this.#prepare();
    const prepared = await this.#preparing;
    if (!prepared.ok) this.#preparing = undefined;
    return prepared;
  }

  async #prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    const described = await describeModel(this.#context);
    if (!described.ok) return described;
    const { numCtx, entry } = described.value;
    this.#context = { ...this.#context, entry };
    this.#useWindow(this.#isHalved ? this.#numCtx : numCtx);
    this.#context.narration.passing(`Loading ${this.#context.model} with a window of ${this.#numCtx} tokens`);
    const loaded = await retrying(this.#context, async () => await this.#load());
    if (!loaded.ok) return { ok: false, failure: await this.#advised(loaded.failure) };
    await this.#compareWindow();
    return described;
  }

  #useWindow(numCtx: number): void {
    this.#numCtx = numCtx;
    this.#windowTokens = numCtx;
    for (const purpose of chatPurposes) {
      for (const structured of [false, true]) {
        this.#options.set(
          `${purpose} ${structured}`,
          optionsFor(purpose, structured, this.#context.entry, numCtx),
        );
      }
    }
  }

  /** Loads the model, with half of the window where there is too little memory for the whole. */
  async #load(): Promise<ChatOutcome> {
    const load = () =>
      this.#timed(
        { kind: 'load' },
        ({ narrated }) => loadModel(this.#context, this.#numCtx, narrated.onSlot),
        this.spent,
      );
    const outcome = await load();
    return this.#halveAfter(outcome) ? await load() : outcome;
  }

  /** Once for a session: less than half of a window is hardly worth a try, and memory may come free. */
  #halveAfter(outcome: ChatOutcome): boolean {
    if (outcome.ok || outcome.failure.code !== 'model_out_of_memory') return false;
    const half = Math.floor(this.#numCtx / 2);
    if (this.#isHalved || half < MIN_WINDOW_TOKENS) return false;
    this.#isHalved = true;
    const { narration, model } = this.#context;
    narration.status(
      `Warning: too little memory for ${model} with a window of ${this.#numCtx} tokens; using ${half}`,
    );
    this.#useWindow(half);
    return true;
  }

  /** Adds to a failure for lack of memory what would fit. */
  async #advised(failure: ModelFailure): Promise<ModelFailure> {
    if (failure.code !== 'model_out_of_memory') return failure;
    const { server, model, signal } = this.#context;
    const list = await server.list(signal);
    const advice = memoryAdvice(model, this.#numCtx, list.ok ? list.value : []);
    return { ...failure, message: `${failure.message}. ${advice}` };
  }

  /** One answer; prepares first where that was not done. */
  async ask(request: AskRequest): Promise<AskOutcome> {
    const spent = nothingSpent();
    const prepared = await this.prepare();
    if (!prepared.ok) return { ...prepared, spent };
    const context = { ...this.#context, signal: eitherSignal(this.#context.signal, request.signal) };
    const attempt = () =>
      retrying(context, async (previous) => {
        const reloaded = await this.#loadAgainIfLost(previous);
        if (reloaded && !reloaded.ok) return reloaded;
        const answer = await this.#attempt(request, prepared.value, spent);
        return answer.ok ? answer : { ok: false, failure: this.#judged(answer.failure, previous, request) };
      });
    let outcome = await attempt();
    if (!outcome.ok && outcome.failure.code === 'model_not_found') {
      const there = await bringBack(this.#context, outcome.failure);
      outcome = there.ok ? await attempt() : there;
    }
    addSpent(this.spent, spent);
    if (!outcome.ok) return { ok: false, failure: await this.#advised(outcome.failure), spent };
    this.#context.hold?.answered();
    await this.#afterFirstAnswer();
    const { tokensIn, isEstimated } = outcome.value;
    this.#answeredTokens = Math.max(this.#answeredTokens, this.#estimator.likely(request));
    const dropped = !isEstimated && this.#reportDropped(request, tokensIn);
    return { ...outcome, spent, ...(dropped ? { truncated: true } : {}) };
  }

  /**
   * Judges a failure by what came before it: calls that the server could not read twice are not asked for again in the same
   * way, and a prompt that is refused though shorter ones were answered is too long, in whatever words.
   */
  #judged(failure: ModelFailure, previous: ModelFailure | undefined, request: AskRequest): ModelFailure {
    const { code, httpStatus } = failure;
    if (code === 'model_malformed_call' && previous?.code === code) return { ...failure, retryable: false };
    if (code !== 'model_request_refused' || (httpStatus !== 400 && httpStatus !== 413)) return failure;
    const tokens = this.#estimator.likely(request);
    const isLong = tokens > (this.#answeredTokens || this.#windowTokens / 2);
    if (!isLong) return failure;
    const message = `about ${tokens} tokens are more than the server takes (the longest prompt that it answered has ${this.#answeredTokens}): ${failure.message}`;
    return { ...failure, code: 'model_context_exceeded', message };
  }

  async #attempt(request: AskRequest, prepared: PreparedModel, spent: Spent): Promise<ChatOutcome> {
    const call = async () => await this.#callWithinBudget(request, prepared, spent);
    let outcome = await call();
    if (this.#halveAfter(outcome)) outcome = await call();
    if (outcome.ok || outcome.failure.code !== 'thinking_unsupported' || !this.#sendThink) return outcome;
    this.#sendThink = false;
    return await call();
  }

  /** One call, or two where the model thinks for too long. */
  async #callWithinBudget(
    request: AskRequest,
    { capabilities }: PreparedModel,
    spent: Spent,
  ): Promise<ChatOutcome> {
    const { entry, narration, signal } = this.#context;
    const call = (think: Think, watch?: ThinkingWatch) =>
      this.#timed(
        { kind: 'answer', messages: request.messages },
        (call) => this.#call(request, call, think, watch),
        spent,
      );
    const think = thinkFor(request.purpose, entry, capabilities);
    const budget = this.#sendThink ? thinkingBudget(think, entry, this.#windowTokens) : undefined;
    if (budget === undefined) return await call(think);
    const outcome = await call(think, watchThinking(budget));
    // Nobody else stopped it; that also holds for a recorded session, which is answered without pieces.
    const isOver = !outcome.ok && outcome.failure.code === 'aborted';
    if (!isOver || signal?.aborted || request.signal?.aborted) return outcome;
    const { after } = entry.thinking;
    const how = after === false ? 'without thinking' : `with thinking ${String(after)}`;
    narration.status(`Stopped after ${budget} tokens of thinking without an answer; asking again ${how}`);
    return await call(after);
  }

  /** A call that waits for a slot has cost nothing yet, and shows that it waits. */
  async #timed(
    { kind, messages }: { kind: CallKind; messages?: AskRequest['messages'] },
    call: (listeners: CallListeners) => Promise<ChatOutcome>,
    sum: Spent,
  ): Promise<ChatOutcome> {
    const { clock, narration, model } = this.#context;
    const text = kind === 'load' ? `Loading ${model}` : `Waiting for ${model}`;
    const narrated = narrateCall(clock, narration, text);
    const startedMs = clock.monotonicMs();
    const listener = this.#callEvents?.(kind, messages);
    const outcome = await call({ narrated, wrote: listener?.wrote });
    this.#lastCallMs = clock.monotonicMs();
    const waitedMs = narrated.end();
    const tookMs = this.#lastCallMs - startedMs - waitedMs;
    listener?.ended(outcome, tookMs);
    addSpent(sum, spentOn(outcome, tookMs, waitedMs));
    return outcome;
  }

  async #loadAgainIfLost(previous: ModelFailure | undefined): Promise<ChatOutcome | undefined> {
    const idleMs = this.#context.clock.monotonicMs() - this.#lastCallMs;
    const lost = previous ? LOST_MODEL.has(previous.code) : idleMs > IDLE_RELOAD_MS;
    return lost ? await this.#load() : undefined;
  }

  async #call(
    request: AskRequest,
    { narrated, wrote }: CallListeners,
    think: Think,
    watch?: ThinkingWatch,
  ): Promise<ChatOutcome> {
    const { server, model, entry, limits } = this.#context;
    const { messages, tools, format, purpose, sampling, endOf } = request;
    const { onDelta = ({ content }) => wrote?.(content) } = request;
    const outcome = await server.chat(
      {
        model,
        messages,
        ...(tools?.length ? { tools } : {}),
        ...(format === undefined ? {} : { format }),
        // Only in a stream is thinking seen before the answer is there.
        stream: watch !== undefined || endOf !== undefined || this.#streams(purpose),
        ...(this.#sendThink ? { think } : {}),
        keepAlive: entry.keepAlive,
        options: withSampling(this.#options.get(`${purpose} ${format !== undefined}`), sampling),
      },
      {
        signal: [request.signal, watch?.signal].reduce(eitherSignal, this.#context.signal),
        ...(endOf && { endOf, promptTokens: this.#estimator.likely(request) }),
        timeoutMs: entry.requestTimeoutMs ?? limits.requestTimeoutMs,
        firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
        betweenTokensTimeoutMs: limits.betweenTokensTimeoutMs,
        onSlot: narrated.onSlot,
        onDelta: (delta) => {
          narrated.quiet();
          watch?.onDelta(delta);
          if (this.#streams(purpose)) onDelta(delta);
        },
      },
    );
    return outcome.ok ? { ok: true, value: this.#counted(request, outcome.value) } : outcome;
  }

  /** The reply with estimates where the server left out its counts: a budget would never be used up. */
  #counted(request: AskRequest, reply: ChatReply): ChatReply {
    const { content, thinking = '', tool_calls: calls } = reply.message;
    const written = content + thinking + (calls ? JSON.stringify(calls) : '');
    const tokensIn = reply.tokensIn || this.#estimator.likely(request);
    const tokensOut = reply.tokensOut || this.#estimator.text(written);
    if (tokensIn === reply.tokensIn && tokensOut === reply.tokensOut) return reply;
    if (!this.#saidEstimated) {
      this.#saidEstimated = true;
      this.#context.narration.status('The model server leaves out counts: tokens are estimated');
    }
    return { ...reply, tokensIn, tokensOut, isEstimated: true };
  }

  async #afterFirstAnswer(): Promise<void> {
    if (this.#answered) return;
    this.#answered = true;
    await this.#compareWindow();
  }

  /** The window really loaded wins; a smaller one is shown once. */
  async #compareWindow(): Promise<void> {
    const loaded = await loadedWindow(this.#context);
    if (loaded === undefined || loaded >= this.#windowTokens) return;
    this.#windowTokens = loaded;
    const { narration, model } = this.#context;
    narration.status(
      `Warning: the server loaded ${model} with a window of ${loaded} tokens instead of ${this.#numCtx}`,
    );
  }

  #reportDropped(request: AskRequest, tokensIn: number): boolean {
    const expectedTokens = this.#meter.dropped(request, tokensIn, this.#windowTokens);
    if (expectedTokens === undefined) return false;
    this.#context.narration.status(
      `Warning: the server read only ${tokensIn} of about ${expectedTokens} tokens; ` +
        `the prompt was cut to a window of ${this.#windowTokens}`,
    );
    return true;
  }
}

const eitherSignal = (
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined => (one && other ? AbortSignal.any([one, other]) : (one ?? other));
