/**
 * Calls one model for one task: the model is prepared once, then called. All call parameters besides the messages are fixed here; retries,
 * waiting and a halved window are emitted as events. Nothing rejects: a failure is an outcome.
 */
import type { OnProgress } from '../base/ports.ts';
import { chooseNumCtx, buildOptions, chooseThink, applySampling } from './call-options.ts';
import type { Sampling, ToolMode } from './call-options.ts';
import { chatPurposes } from './catalog-schema.ts';
import type { ChatPurpose, Think } from './catalog-schema.ts';
import type {
  ChatMessage,
  ChatOutcome,
  ChatReply,
  EndOfAnswer,
  ModelFailure,
  ModelOptions,
  ToolDefinition,
} from './chat.ts';
import { createNarration, narrateCall, type CallNarration } from './narration.ts';
import { pullMissing, describeModel, readLoadedWindow, loadModel, retryCall } from './prepare-model.ts';
import type { PreparedModel, SessionContext } from './prepare-model.ts';
import { adviseOnMemory } from './memory-advice.ts';
import { addCost, createZeroCost, costOf } from './spent.ts';
import { thinkingBudgetOf, watchThinking, type ThinkingWatch } from './thinking-budget.ts';
import type { AttemptCosts } from './spent.ts';
import type { Outcome } from '../base/values/outcome.ts';

export type { Sampling } from './call-options.ts';
export type { ChatPurpose } from './catalog-schema.ts';
export type { PreparedModel } from './prepare-model.ts';

/** Idle time after which the server may have unloaded the model. The model is then loaded again, with its own timeout. */
const IDLE_RELOAD_MS = 240_000;
/** Failures after which the server may have unloaded the model. */
const MODEL_LOST_CODES = new Set([
  'model_unreachable',
  'model_incomplete',
  'model_server_error',
  'model_out_of_memory',
  'model_load_failed',
  'model_malformed_call',
]);
/** Minimum of a halved window, in tokens. */
const MIN_WINDOW_TOKENS = 4096;

/** Share of the window that an estimated prompt must reach before the server can have dropped a part of it. */
const NEARLY_FULL_SHARE = 0.9;
/**
 * Share of the estimate below which the server's token count shows that it dropped a part of the prompt. The share is
 * low because first estimates are high.
 */
const SUSPICIOUS_SHARE = 0.65;

export interface ModelSessionOptions extends Omit<SessionContext, 'narration' | 'configuredToolMode'> {
  /** `config.model.toolMode`. */
  toolMode?: ToolMode | 'auto';
  /** Estimates tokens that the server does not count. */
  estimator: TokenEstimates;
  onProgress?: OnProgress;
  /** Observes each call to the server. */
  callEvents?: CallEvents;
}

export type CallKind = 'load' | 'answer';
/** Observer of calls: called when a call begins, with the messages of its prompt, if any. The observer and its listener must not throw. */
export type CallEvents = (kind: CallKind, messages?: AskRequest['messages']) => CallListener;
export interface CallListener {
  /** Receives a piece of the answer, if it is streamed to no other listener. */
  onText: (text: string) => void;
  onEnd: (outcome: ChatOutcome, durationMs: number) => void;
}

/** The listeners of a running call. */
interface CallListeners extends Partial<Pick<CallListener, 'onText'>> {
  callNarration: CallNarration;
}

/** Estimates numbers of tokens. */
export interface TokenEstimates {
  estimateLikely: (prompt: Pick<AskRequest, 'messages' | 'tools'>) => number;
  estimateText: (text: string) => number;
}

export interface AskRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** JSON Schema of structured mode; never together with `tools`. */
  format?: object;
  purpose: ChatPurpose;
  /** Overrides the sampling of the purpose; a call never changes the window. */
  sampling?: Sampling;
  /** Ends only this call; the task continues. */
  signal?: AbortSignal | undefined;
  /** Ends the answer by its content; such a call streams. */
  endOf?: EndOfAnswer | undefined;
  /** Receives the answer while it is written, in place of `callEvents`, if the purpose streams. A retry starts from the beginning. */
  onDelta?: (delta: { content: string; thinking: string }) => void;
}

/** The answer, with the cost of all its attempts. `truncated`: the server dropped part of the prompt. */
export type AskOutcome = ChatOutcome & { spent: AttemptCosts; truncated?: true };

export class ModelSession {
  #context: SessionContext;
  readonly #options = new Map<string, ModelOptions>();
  /** Total cost so far, loading included. */
  readonly spent = createZeroCost();
  #windowTokens: number;
  /** The window of every call. */
  #numCtx = 0;
  #isHalved = false;
  #preparing: Promise<Outcome<PreparedModel, ModelFailure>> | undefined;
  #lastCallMs = 0;
  /** Estimated size of the longest answered prompt. */
  #maxAnsweredTokens = 0;
  #hasAnswered = false;
  /** Whether calls send `think`: not after a server refused it for the model. */
  #sendsThink = true;
  readonly #callEvents: CallEvents | undefined;
  readonly #estimator: TokenEstimates;
  #hasReportedEstimates = false;

  constructor({ onProgress, toolMode, callEvents, estimator, ...options }: ModelSessionOptions) {
    this.#callEvents = callEvents;
    this.#estimator = estimator;
    const narration = createNarration(options.clock, options.model, onProgress);
    this.#context = { ...options, configuredToolMode: toolMode, narration };
    this.#windowTokens = chooseNumCtx(options.limits.maxContextTokens, options.entry, undefined);
  }

  /** The usable window: `num_ctx`, or less if the server loaded less. */
  get windowTokens(): number {
    return this.#windowTokens;
  }

  #isStreamed(purpose: ChatPurpose): boolean {
    return purpose === 'simple' || this.#context.limits.streamAgentic;
  }

  /**
   * Prepares the model once: describes it, pulls it if allowed, and loads it. Later calls return the same outcome unless
   * it was a failure.
   */
  async prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    this.#preparing ??= this.#prepare();
    const prepared = await this.#preparing;
    if (!prepared.ok) this.#preparing = undefined;
    return prepared;
  }

  async #prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    const description = await describeModel(this.#context);
    if (!description.ok) return description;
    const { numCtx, entry } = description.value;
    this.#context = { ...this.#context, entry };
    this.#useWindow(this.#isHalved ? this.#numCtx : numCtx);
    this.#context.narration.showProgress(
      `Loading ${this.#context.model} with a window of ${this.#numCtx} tokens`,
    );
    const loaded = await retryCall(this.#context, async () => await this.#load());
    if (!loaded.ok) return { ok: false, failure: await this.#addAdvice(loaded.failure) };
    await this.#compareWindow();
    return description;
  }

  #useWindow(numCtx: number): void {
    this.#numCtx = numCtx;
    this.#windowTokens = numCtx;
    for (const purpose of chatPurposes) {
      for (const structured of [false, true]) {
        this.#options.set(
          `${purpose} ${structured}`,
          buildOptions(purpose, structured, this.#context.entry, numCtx),
        );
      }
    }
  }

  /** Loads the model, with half of the window if the memory does not suffice. */
  async #load(): Promise<ChatOutcome> {
    const load = () =>
      this.#measure(
        { kind: 'load' },
        ({ callNarration }) => loadModel(this.#context, this.#numCtx, callNarration.onSlot),
        this.spent,
      );
    const outcome = await load();
    return this.#halveAfter(outcome) ? await load() : outcome;
  }

  /**
   * Halves the window, at most once per session: a smaller one is hardly useful, and memory may become free. Returns
   * whether it was halved.
   */
  #halveAfter(outcome: ChatOutcome): boolean {
    if (outcome.ok || outcome.failure.code !== 'model_out_of_memory') return false;
    const halfTokens = Math.floor(this.#numCtx / 2);
    if (this.#isHalved || halfTokens < MIN_WINDOW_TOKENS) return false;
    this.#isHalved = true;
    const { narration, model } = this.#context;
    narration.emitStatus(
      `Warning: too little memory for ${model} with a window of ${this.#numCtx} tokens; using ${halfTokens}`,
    );
    this.#useWindow(halfTokens);
    return true;
  }

  /** Adds advice to a failure for lack of memory. */
  async #addAdvice(failure: ModelFailure): Promise<ModelFailure> {
    if (failure.code !== 'model_out_of_memory') return failure;
    const { server, model, signal } = this.#context;
    const list = await server.list(signal);
    const advice = adviseOnMemory(model, this.#numCtx, list.ok ? list.value : []);
    return { ...failure, message: `${failure.message}. ${advice}` };
  }

  /** Requests one answer; prepares the model first if needed. */
  async ask(request: AskRequest): Promise<AskOutcome> {
    const spent = createZeroCost();
    const prepared = await this.prepare();
    if (!prepared.ok) return { ...prepared, spent };
    const context = { ...this.#context, signal: combineSignals(this.#context.signal, request.signal) };
    const attempt = () =>
      retryCall(context, async (previous) => {
        const reloaded = await this.#loadAgainIfLost(previous);
        if (reloaded && !reloaded.ok) return reloaded;
        const answer = await this.#attempt(request, prepared.value, spent);
        return answer.ok
          ? answer
          : { ok: false, failure: this.#reclassify(answer.failure, previous, request) };
      });
    let outcome = await attempt();
    if (!outcome.ok && outcome.failure.code === 'model_not_found') {
      const pullOutcome = await pullMissing(this.#context, outcome.failure);
      outcome = pullOutcome.ok ? await attempt() : pullOutcome;
    }
    addCost(this.spent, spent);
    if (!outcome.ok) return { ok: false, failure: await this.#addAdvice(outcome.failure), spent };
    this.#context.hold?.recordAnswer();
    await this.#onFirstAnswer();
    const { tokensIn, isEstimated } = outcome.value;
    this.#maxAnsweredTokens = Math.max(this.#maxAnsweredTokens, this.#estimator.estimateLikely(request));
    const wasTruncated = !isEstimated && this.#reportDropped(request, tokensIn);
    return { ...outcome, spent, ...(wasTruncated ? { truncated: true } : {}) };
  }

  /**
   * Reclassifies a failure by earlier calls: a second malformed call is not retried, and a refused prompt longer than
   * all answered prompts exceeds the context, whatever the error text is.
   */
  #reclassify(failure: ModelFailure, previous: ModelFailure | undefined, request: AskRequest): ModelFailure {
    const { code, httpStatus } = failure;
    if (code === 'model_malformed_call' && previous?.code === code) return { ...failure, retryable: false };
    if (code !== 'model_request_refused' || (httpStatus !== 400 && httpStatus !== 413)) return failure;
    const tokens = this.#estimator.estimateLikely(request);
    const isLong = tokens > (this.#maxAnsweredTokens || this.#windowTokens / 2);
    if (!isLong) return failure;
    const message = `the server refused a prompt of about ${tokens} tokens (the longest that it answered had ${this.#maxAnsweredTokens}): ${failure.message}`;
    return { ...failure, code: 'model_context_exceeded', message };
  }

  async #attempt(request: AskRequest, prepared: PreparedModel, spent: AttemptCosts): Promise<ChatOutcome> {
    const call = async () => await this.#callWithinBudget(request, prepared, spent);
    let outcome = await call();
    if (this.#halveAfter(outcome)) outcome = await call();
    if (outcome.ok || outcome.failure.code !== 'thinking_unsupported' || !this.#sendsThink) return outcome;
    this.#sendsThink = false;
    return await call();
  }

  /** Makes one call, or two if the model thinks for too long. */
  async #callWithinBudget(
    request: AskRequest,
    { capabilities }: PreparedModel,
    spent: AttemptCosts,
  ): Promise<ChatOutcome> {
    const { entry, narration, signal } = this.#context;
    const call = (think: Think, watch?: ThinkingWatch) =>
      this.#measure(
        { kind: 'answer', messages: request.messages },
        (listeners) => this.#call(request, listeners, think, watch),
        spent,
      );
    const think = chooseThink(request.purpose, entry, capabilities);
    const budget = this.#sendsThink ? thinkingBudgetOf(think, entry, this.#windowTokens) : undefined;
    if (budget === undefined) return await call(think);
    const outcome = await call(think, watchThinking(budget));
    // If no other signal stopped the call, the thinking budget did. This also holds for a recorded session, which is replayed without pieces.
    const isOverBudget = !outcome.ok && outcome.failure.code === 'aborted';
    if (!isOverBudget || signal?.aborted || request.signal?.aborted) return outcome;
    const { after } = entry.thinking;
    const mode = after === false ? 'without thinking' : `with thinking ${String(after)}`;
    narration.emitStatus(
      `Stopped after ${budget} tokens of thinking without an answer; asking again ${mode}`,
    );
    return await call(after);
  }

  /** Measures a call, adds its cost to `sum`, and emits that it waits. The wait for a slot is not counted as model time. */
  async #measure(
    { kind, messages }: { kind: CallKind; messages?: AskRequest['messages'] },
    call: (listeners: CallListeners) => Promise<ChatOutcome>,
    sum: AttemptCosts,
  ): Promise<ChatOutcome> {
    const { clock, narration, model } = this.#context;
    const text = kind === 'load' ? `Loading ${model}` : `Waiting for ${model}`;
    const callNarration = narrateCall(clock, narration, text);
    const startedMs = clock.monotonicMs();
    const listener = this.#callEvents?.(kind, messages);
    const outcome = await call({ callNarration, onText: listener?.onText });
    this.#lastCallMs = clock.monotonicMs();
    const waitedMs = callNarration.end();
    const tookMs = this.#lastCallMs - startedMs - waitedMs;
    listener?.onEnd(outcome, tookMs);
    addCost(sum, costOf(outcome, tookMs, waitedMs));
    return outcome;
  }

  async #loadAgainIfLost(previous: ModelFailure | undefined): Promise<ChatOutcome | undefined> {
    const idleMs = this.#context.clock.monotonicMs() - this.#lastCallMs;
    const isLost = previous ? MODEL_LOST_CODES.has(previous.code) : idleMs > IDLE_RELOAD_MS;
    return isLost ? await this.#load() : undefined;
  }

  async #call(
    request: AskRequest,
    { callNarration, onText }: CallListeners,
    think: Think,
    watch?: ThinkingWatch,
  ): Promise<ChatOutcome> {
    const { server, model, entry, limits } = this.#context;
    const { messages, tools, format, purpose, sampling, endOf } = request;
    const { onDelta = ({ content }) => onText?.(content) } = request;
    const outcome = await server.chat(
      {
        model,
        messages,
        ...(tools?.length ? { tools } : {}),
        ...(format === undefined ? {} : { format }),
        // Only a stream shows thinking before the answer is complete.
        stream: watch !== undefined || endOf !== undefined || this.#isStreamed(purpose),
        ...(this.#sendsThink ? { think } : {}),
        keepAlive: entry.keepAlive,
        options: applySampling(this.#options.get(`${purpose} ${format !== undefined}`), sampling),
      },
      {
        signal: [request.signal, watch?.signal].reduce(combineSignals, this.#context.signal),
        ...(endOf && { endOf, promptTokens: this.#estimator.estimateLikely(request) }),
        timeoutMs: entry.requestTimeoutMs ?? limits.requestTimeoutMs,
        firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
        betweenTokensTimeoutMs: limits.betweenTokensTimeoutMs,
        onSlot: callNarration.onSlot,
        onDelta: (delta) => {
          callNarration.stopStatuses();
          watch?.onDelta(delta);
          if (this.#isStreamed(purpose)) onDelta(delta);
        },
      },
    );
    return outcome.ok ? { ok: true, value: this.#addEstimates(request, outcome.value) } : outcome;
  }

  /** Adds estimates for counts that the server omits; otherwise a budget would never be used up. */
  #addEstimates(request: AskRequest, reply: ChatReply): ChatReply {
    const { content, thinking = '', tool_calls: calls } = reply.message;
    const written = content + thinking + (calls ? JSON.stringify(calls) : '');
    const tokensIn = reply.tokensIn || this.#estimator.estimateLikely(request);
    const tokensOut = reply.tokensOut || this.#estimator.estimateText(written);
    if (tokensIn === reply.tokensIn && tokensOut === reply.tokensOut) return reply;
    if (!this.#hasReportedEstimates) {
      this.#hasReportedEstimates = true;
      this.#context.narration.emitStatus('The model server reports no token counts: they are estimated');
    }
    return { ...reply, tokensIn, tokensOut, isEstimated: true };
  }

  async #onFirstAnswer(): Promise<void> {
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    await this.#compareWindow();
  }

  /** Adopts the loaded window; warns if it is smaller. */
  async #compareWindow(): Promise<void> {
    const loaded = await readLoadedWindow(this.#context);
    if (loaded === undefined || loaded >= this.#windowTokens) return;
    this.#windowTokens = loaded;
    const { narration, model } = this.#context;
    narration.emitStatus(
      `Warning: the server loaded ${model} with a window of ${loaded} tokens instead of ${this.#numCtx}`,
    );
  }

  /** Reports a prompt of which the server silently dropped a part: it counted far fewer tokens than were sent. */
  #reportDropped(request: AskRequest, tokensIn: number): boolean {
    const expectedTokens = this.#estimator.estimateLikely(request);
    const isNearlyFull = expectedTokens >= NEARLY_FULL_SHARE * this.#windowTokens;
    if (!isNearlyFull || tokensIn > SUSPICIOUS_SHARE * expectedTokens) return false;
    this.#context.narration.emitStatus(
      `Warning: the server read only ${tokensIn} of about ${expectedTokens} tokens; ` +
        `the prompt was cut to a window of ${this.#windowTokens}`,
    );
    return true;
  }
}

const combineSignals = (
  first: AbortSignal | undefined,
  second: AbortSignal | undefined,
): AbortSignal | undefined => (first && second ? AbortSignal.any([first, second]) : (first ?? second));
