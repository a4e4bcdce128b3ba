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
  AnswerExtractor,
  ModelFailure,
  ModelOptions,
  ToolDefinition,
} from './chat.ts';
import { createStatusEmitter, startCallStatus, type CallStatus } from './status-emitter.ts';
import { pullMissingModel, describeModel, readLoadedWindow, loadModel, retryCall } from './prepare-model.ts';
import type { PreparedModel, SessionContext } from './prepare-model.ts';
import { adviseOnMemory } from './memory-advice.ts';
import { addCost, createZeroCost, costOf } from './call-cost.ts';
import { thinkingBudgetOf, limitThinking, type ThinkingLimiter } from './thinking-budget.ts';
import type { TokenEstimator } from './token-estimate.ts';
import type { AttemptCosts } from './call-cost.ts';
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
/** Minimum size of the window after halving, in tokens. */
const MIN_WINDOW_TOKENS = 4096;

/**
 * Share of the window that the estimate of a prompt must reach to be checked for truncation. A smaller prompt fits, so
 * the server cannot have truncated it.
 */
const NEARLY_FULL_SHARE = 0.9;
/**
 * A token count below this share of the estimate shows that the server truncated the prompt. The share is low because
 * first estimates are high.
 */
const SUSPICIOUS_SHARE = 0.65;

export interface ModelSessionOptions extends Omit<SessionContext, 'statusEmitter' | 'configuredToolMode'> {
  /** Configured tool mode (`config.model.toolMode`). */
  toolMode?: ToolMode | 'auto';
  /** Estimator for tokens that the server does not count. */
  estimator: RequestEstimator;
  onProgress?: OnProgress;
  callObserver?: CallObserver;
}

type RequestEstimator = Pick<TokenEstimator, 'estimateWithoutMargin' | 'estimateText'>;

export type CallKind = 'load' | 'answer';
/** Called when a call to the server begins, with the messages of its prompt, if any. The observer and its listener must not throw. */
export type CallObserver = (kind: CallKind, messages?: AskRequest['messages']) => CallListener;
export interface CallListener {
  /** Called with each piece of the answer, unless another listener receives the stream. */
  onText: (text: string) => void;
  onEnd: (outcome: ChatOutcome, durationMs: number) => void;
}

/** The status and the text listener of a running call. */
interface CallHooks extends Partial<Pick<CallListener, 'onText'>> {
  callStatus: CallStatus;
}

export interface AskRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** JSON Schema of structured mode; never together with `tools`. */
  format?: object;
  purpose: ChatPurpose;
  /** Overrides the sampling of the purpose; a call never changes the window. */
  sampling?: Sampling;
  /** Aborts only this call; the task continues. */
  signal?: AbortSignal | undefined;
  /** Returns the answer once it is complete, so that the call ends early. A call with this option streams. */
  extractAnswer?: AnswerExtractor | undefined;
  /**
   * Called with each piece of the answer, in place of `callObserver`, if the purpose streams. A retry starts from the
   * beginning.
   */
  onDelta?: (delta: { content: string; thinking: string }) => void;
}

/** The answer, with the cost of all its attempts. `truncated`: the server dropped part of the prompt. */
export type AskOutcome = ChatOutcome & { cost: AttemptCosts; truncated?: true };

export class ModelSession {
  #context: SessionContext;
  readonly #options = new Map<string, ModelOptions>();
  /** Total cost so far, loading included. */
  readonly totalCost = createZeroCost();
  #windowTokens: number;
  /** The window of every call, in tokens. */
  #numCtx = 0;
  #isHalved = false;
  #preparation: Promise<Outcome<PreparedModel, ModelFailure>> | undefined;
  #lastCallMs = 0;
  /** Estimated size of the longest answered prompt. */
  #maxAnsweredTokens = 0;
  #hasAnswered = false;
  /** Whether calls send `think`; false after a server refused it for the model. */
  #sendsThink = true;
  readonly #callObserver: CallObserver | undefined;
  readonly #estimator: RequestEstimator;
  #hasReportedEstimates = false;

  constructor({ onProgress, toolMode, callObserver, estimator, ...options }: ModelSessionOptions) {
    this.#callObserver = callObserver;
    this.#estimator = estimator;
    const statusEmitter = createStatusEmitter(options.clock, options.model, onProgress);
    this.#context = { ...options, configuredToolMode: toolMode, statusEmitter };
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
    this.#preparation ??= this.#prepare();
    const prepared = await this.#preparation;
    if (!prepared.ok) this.#preparation = undefined;
    return prepared;
  }

  async #prepare(): Promise<Outcome<PreparedModel, ModelFailure>> {
    const description = await describeModel(this.#context);
    if (!description.ok) return description;
    const { numCtx, entry } = description.value;
    this.#context = { ...this.#context, entry };
    this.#setWindow(this.#isHalved ? this.#numCtx : numCtx);
    this.#context.statusEmitter.showProgress(
      `Loading ${this.#context.model} with a window of ${this.#numCtx} tokens`,
    );
    const loaded = await retryCall(this.#context, async () => await this.#load());
    if (!loaded.ok) return { ok: false, failure: await this.#addAdvice(loaded.failure) };
    await this.#compareWindow();
    return description;
  }

  #setWindow(numCtx: number): void {
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
        ({ callStatus }) => loadModel(this.#context, this.#numCtx, callStatus.onSlot),
        this.totalCost,
      );
    const outcome = await load();
    return this.#halveIfOutOfMemory(outcome) ? await load() : outcome;
  }

  /**
   * Halves the window, at most once per session: a smaller one is hardly useful, and memory may become free. Returns
   * whether it was halved.
   */
  #halveIfOutOfMemory(outcome: ChatOutcome): boolean {
    if (outcome.ok || outcome.failure.code !== 'model_out_of_memory') return false;
    const halfTokens = Math.floor(this.#numCtx / 2);
    if (this.#isHalved || halfTokens < MIN_WINDOW_TOKENS) return false;
    this.#isHalved = true;
    const { statusEmitter, model } = this.#context;
    statusEmitter.emitStatus(
      `Warning: too little memory for ${model} with a window of ${this.#numCtx} tokens; using ${halfTokens}`,
    );
    this.#setWindow(halfTokens);
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
    const cost = createZeroCost();
    const prepared = await this.prepare();
    if (!prepared.ok) return { ...prepared, cost };
    const context = { ...this.#context, signal: combineSignals(this.#context.signal, request.signal) };
    const attempt = () =>
      retryCall(context, async (previous) => {
        const reloaded = await this.#loadAgainIfLost(previous);
        if (reloaded && !reloaded.ok) return reloaded;
        const answer = await this.#attempt(request, prepared.value, cost);
        return answer.ok
          ? answer
          : { ok: false, failure: this.#reclassify(answer.failure, previous, request) };
      });
    let outcome = await attempt();
    if (!outcome.ok && outcome.failure.code === 'model_not_found') {
      const pullOutcome = await pullMissingModel(this.#context, outcome.failure);
      outcome = pullOutcome.ok ? await attempt() : pullOutcome;
    }
    addCost(this.totalCost, cost);
    if (!outcome.ok) return { ok: false, failure: await this.#addAdvice(outcome.failure), cost };
    this.#context.hold?.recordAnswer();
    await this.#onFirstAnswer();
    const { tokensIn, isEstimated } = outcome.value;
    this.#maxAnsweredTokens = Math.max(
      this.#maxAnsweredTokens,
      this.#estimator.estimateWithoutMargin(request),
    );
    const wasTruncated = !isEstimated && this.#detectTruncation(request, tokensIn);
    return { ...outcome, cost, ...(wasTruncated ? { truncated: true } : {}) };
  }

  /**
   * Reclassifies a failure by earlier calls: a second malformed call is not retried, and a refused prompt longer than
   * all answered prompts exceeds the context, whatever the error text is.
   */
  #reclassify(failure: ModelFailure, previous: ModelFailure | undefined, request: AskRequest): ModelFailure {
    const { code, httpStatus } = failure;
    if (code === 'model_malformed_call' && previous?.code === code) return { ...failure, retryable: false };
    if (code !== 'model_request_refused' || (httpStatus !== 400 && httpStatus !== 413)) return failure;
    const tokens = this.#estimator.estimateWithoutMargin(request);
    const isLong = tokens > (this.#maxAnsweredTokens || this.#windowTokens / 2);
    if (!isLong) return failure;
    const accepted =
      this.#maxAnsweredTokens > 0
        ? ` (the longest prompt that it accepted had ${this.#maxAnsweredTokens})`
        : '';
    const message = `the server refused a prompt of about ${tokens} tokens${accepted}: ${failure.message}`;
    return { ...failure, code: 'model_context_exceeded', message };
  }

  async #attempt(request: AskRequest, prepared: PreparedModel, cost: AttemptCosts): Promise<ChatOutcome> {
    const call = async () => await this.#callWithinBudget(request, prepared, cost);
    let outcome = await call();
    if (this.#halveIfOutOfMemory(outcome)) outcome = await call();
    if (outcome.ok || outcome.failure.code !== 'thinking_unsupported' || !this.#sendsThink) return outcome;
    this.#sendsThink = false;
    return await call();
  }

  /** Makes one call, or two if the model thinks for too long. */
  async #callWithinBudget(
    request: AskRequest,
    { capabilities }: PreparedModel,
    cost: AttemptCosts,
  ): Promise<ChatOutcome> {
    const { entry, statusEmitter, signal } = this.#context;
    const call = (think: Think, limiter?: ThinkingLimiter) =>
      this.#measure(
        { kind: 'answer', messages: request.messages },
        (listeners) => this.#call(request, listeners, think, limiter),
        cost,
      );
    const think = chooseThink(request.purpose, entry, capabilities);
    const budget = this.#sendsThink ? thinkingBudgetOf(think, entry, this.#windowTokens) : undefined;
    if (budget === undefined) return await call(think);
    const outcome = await call(think, limitThinking(budget));
    // If no other signal stopped the call, the thinking budget did. This also holds for a recorded session, which is replayed without pieces.
    const isOverBudget = !outcome.ok && outcome.failure.code === 'aborted';
    if (!isOverBudget || signal?.aborted || request.signal?.aborted) return outcome;
    const { after } = entry.thinking;
    const mode = after === false ? 'without thinking' : `with thinking set to ${String(after)}`;
    statusEmitter.emitStatus(
      `Stopped the model after ${budget} tokens of thinking without an answer; asking again ${mode}`,
    );
    return await call(after);
  }

  /**
   * Measures a call, adds its cost to `sum`, and emits a status while the call waits. The wait for a slot is not
   * counted as model time.
   */
  async #measure(
    { kind, messages }: { kind: CallKind; messages?: AskRequest['messages'] },
    call: (listeners: CallHooks) => Promise<ChatOutcome>,
    sum: AttemptCosts,
  ): Promise<ChatOutcome> {
    const { clock, statusEmitter, model } = this.#context;
    const text = kind === 'load' ? `Loading ${model}` : `Waiting for ${model}`;
    const callStatus = startCallStatus(clock, statusEmitter, text);
    const startedMs = clock.monotonicMs();
    const listener = this.#callObserver?.(kind, messages);
    const outcome = await call({ callStatus, onText: listener?.onText });
    this.#lastCallMs = clock.monotonicMs();
    const waitedMs = callStatus.end();
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
    { callStatus, onText }: CallHooks,
    think: Think,
    limiter?: ThinkingLimiter,
  ): Promise<ChatOutcome> {
    const { server, model, entry, limits } = this.#context;
    const { messages, tools, format, purpose, sampling, extractAnswer } = request;
    const { onDelta = ({ content }) => onText?.(content) } = request;
    const outcome = await server.chat(
      {
        model,
        messages,
        ...(tools?.length ? { tools } : {}),
        ...(format === undefined ? {} : { format }),
        // Only a stream shows thinking before the answer is complete.
        stream: limiter !== undefined || extractAnswer !== undefined || this.#isStreamed(purpose),
        ...(this.#sendsThink ? { think } : {}),
        keepAlive: entry.keepAlive,
        options: applySampling(this.#options.get(`${purpose} ${format !== undefined}`), sampling),
      },
      {
        signal: [request.signal, limiter?.signal].reduce(combineSignals, this.#context.signal),
        ...(extractAnswer && { extractAnswer, promptTokens: this.#estimator.estimateWithoutMargin(request) }),
        timeoutMs: entry.requestTimeoutMs ?? limits.requestTimeoutMs,
        firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
        betweenTokensTimeoutMs: limits.betweenTokensTimeoutMs,
        onSlot: callStatus.onSlot,
        onDelta: (delta) => {
          callStatus.stop();
          limiter?.onDelta(delta);
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
    const tokensIn = reply.tokensIn || this.#estimator.estimateWithoutMargin(request);
    const tokensOut = reply.tokensOut || this.#estimator.estimateText(written);
    if (tokensIn === reply.tokensIn && tokensOut === reply.tokensOut) return reply;
    if (!this.#hasReportedEstimates) {
      this.#hasReportedEstimates = true;
      this.#context.statusEmitter.emitStatus('The model server reports no token counts: they are estimated');
    }
    return { ...reply, tokensIn, tokensOut, isEstimated: true };
  }

  async #onFirstAnswer(): Promise<void> {
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    await this.#compareWindow();
  }

  /** Adopts the window that the server loaded; warns if it is smaller than requested. */
  async #compareWindow(): Promise<void> {
    const loaded = await readLoadedWindow(this.#context);
    if (loaded === undefined || loaded >= this.#windowTokens) return;
    this.#windowTokens = loaded;
    const { statusEmitter, model } = this.#context;
    statusEmitter.emitStatus(
      `Warning: the server loaded ${model} with a window of ${loaded} tokens instead of ${this.#numCtx}`,
    );
  }

  /**
   * Returns whether the server silently truncated the prompt, which shows in a token count far below the estimate.
   * Warns if so.
   */
  #detectTruncation(request: AskRequest, tokensIn: number): boolean {
    const expectedTokens = this.#estimator.estimateWithoutMargin(request);
    const isNearlyFull = expectedTokens >= NEARLY_FULL_SHARE * this.#windowTokens;
    if (!isNearlyFull || tokensIn > SUSPICIOUS_SHARE * expectedTokens) return false;
    this.#context.statusEmitter.emitStatus(
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
