/**
 * The requests, answers and failures of Ollama's chat. Messages use the server's field names, so that a request is
 * serialised unchanged.
 */
import type { Failure, Outcome } from '../base/values/outcome.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  tool_calls?: ChatToolCall[];
  /** Name of the tool, with `role: tool`. */
  tool_name?: string;
  /** Id of the call, if the server gave one. */
  tool_call_id?: string;
}
export interface ChatToolCall {
  id?: string;
  function: { name: string; arguments: Record<string, unknown> | string };
}

/** An entry of the `tools` field. */
export interface ToolDefinition {
  type: 'function';
  function: { name: string; description: string; parameters: object };
}

/** Options of a call, frozen per stage: a changed value makes Ollama reload the model. */
export type ModelOptions = Readonly<Record<string, unknown>> & { readonly num_ctx?: number };

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** JSON Schema for structured mode; never together with `tools`. */
  format?: object;
  stream: boolean;
  think?: boolean | 'low' | 'medium' | 'high';
  keepAlive?: string | number;
  options?: ModelOptions;
}

/** A whole answer. Counts that the server omits are 0 until they are estimated; durations are nanoseconds. */
export interface ChatReply {
  /** The server's name of the model that answered, if reported. */
  model?: string;
  message: { role: string; content: string; thinking?: string; tool_calls?: ChatToolCall[] };
  doneReason: string;
  tokensIn: number;
  /** The part of `tokensIn` that was not cached, estimated from the server's durations. */
  readTokens?: number;
  tokensOut: number;
  /** Set if counts are estimated, as for an answer that the worker ended. */
  isEstimated?: true;
  /** The part of `tokensIn` that was cached from an earlier call, if the server reports it. */
  tokensCached?: number;
  totalNs: number;
  loadNs: number;
  promptEvalNs: number;
  evalNs: number;
}

/**
 * A failed model call. `code`: `model_unreachable`, `model_not_found`, `tools_unsupported`, `model_busy` (503, 429),
 * `model_server_error` (other 5xx), `model_out_of_memory`, `model_load_failed`, `model_request_refused` (other 4xx),
 * `model_timeout`, `model_incomplete` (no final `done`), `model_garbage`, `model_reply_too_large`, `aborted`,
 * `model_context_exceeded` (the prompt does not fit), `thinking_unsupported`, `model_malformed_call` (the server could
 * not parse the tool call of its model), `model_cannot_chat` (an embedding model).
 */
export interface ModelFailure extends Failure {
  httpStatus?: number;
  /** How long to wait before the next call, if the server requests a pause. */
  retryAfterMs?: number;
  /** The server that failed, if there are several. */
  serverUrl?: string;
  /** The part of the answer that arrived before the failure. */
  partial?: { content: string; tokensOut: number };
}
export type ChatOutcome = { ok: true; value: ChatReply } | { ok: false; failure: ModelFailure };

export interface ModelDetails {
  model: string;
  capabilities: string[];
  /** Trained context length in tokens, if reported. */
  contextLength?: number;
  parameterSize?: string;
  family?: string;
  /** The oldest version of Ollama that can run the model, if the model requires one. */
  requiredVersion?: string;
}
export interface InstalledModel {
  name: string;
  sizeBytes: number;
  parameterSize?: string;
}
export interface LoadedModel {
  name: string;
  /** The loaded window, in tokens. */
  contextLength?: number;
  sizeBytes: number;
  vramBytes: number;
}

/** An Ollama server, used by one task: `abort` ends all calls of this instance. */
export interface ModelServer {
  /** Requests an answer. With `request.stream` deltas go to `onDelta` first; the outcome is the whole answer either way. */
  chat(request: ChatRequest, call: ChatCall): Promise<ChatOutcome>;
  /** Describes a model by `/api/show`: capabilities, trained context length. A failure is an outcome with `ok: false`. */
  show(model: string, signal?: AbortSignal): Promise<Outcome<ModelDetails>>;
  /** Lists the installed models by `/api/tags`. */
  list(signal?: AbortSignal): Promise<Outcome<InstalledModel[]>>;
  /** Lists the loaded models with their windows by `/api/ps`. */
  listLoaded(signal?: AbortSignal): Promise<Outcome<LoadedModel[]>>;
  /** Pulls a model by `/api/pull`; reports progress in percent (0 to 100). */
  pull(
    model: string,
    call: { signal?: AbortSignal; onPercent?: (percent: number) => void },
  ): Promise<Outcome<true>>;
  version(signal?: AbortSignal): Promise<Outcome<string>>;
  abort(): void;
}

export interface ChatCall {
  signal?: AbortSignal;
  /** Timeout of the whole call, if it does not stream. */
  timeoutMs?: number;
  /** Timeout of a streaming call until its first token. Streaming calls do not use `timeoutMs`. */
  firstTokenTimeoutMs?: number;
  /** Timeout of a streaming call between two tokens. */
  betweenTokensTimeoutMs?: number;
  /** Called when the call waits for a slot, without a timeout, and when it gets one. Must not throw. */
  onSlot?: (state: 'waiting' | 'given') => void;
  onDelta?: (delta: { content: string; thinking: string }) => void;
  /** Called after each line of a streamed answer, with all complete lines so far. A returned text ends the answer. */
  extractAnswer?: AnswerExtractor;
  /** Estimated tokens of the prompt, because the server reports no counts for an answer that `extractAnswer` ended. */
  promptTokens?: number;
}

/** Returns the wanted part of an answer once it is complete; undefined while it may continue. */
export type AnswerExtractor = (content: string) => string | undefined;
