/**
 * Ollama's chat as this program sees it: requests, answers and failures.
 * Messages keep the server's own field names, so that a request is serialised as it is.
 */
import type { Failure } from '../ports.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  tool_calls?: ChatToolCall[];
  /** On `role: tool`. */
  tool_name?: string;
  /** Only when the server gave the call an id. */
  tool_call_id?: string;
}
export interface ChatToolCall {
  id?: string;
  function: { name: string; arguments: Record<string, unknown> | string };
}

/** A tool as the `tools` field carries it. */
export interface ToolDefinition {
  type: 'function';
  function: { name: string; description: string; parameters: object };
}

/** Frozen per stage: a changed value makes Ollama reload the model. */
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

/** A whole answer. Counts that the server left out are 0 until they are estimated; durations are nanoseconds. */
export interface ChatReply {
  /** As the server names the model that answered, where it does. */
  model?: string;
  message: { role: string; content: string; thinking?: string; tool_calls?: ChatToolCall[] };
  doneReason: string;
  tokensIn: number;
  /** Those of them that were not cached, as far as the server's durations show. */
  readTokens?: number;
  tokensOut: number;
  /** The server left out counts, as for an answer that the worker ended. */
  isEstimated?: true;
  /** Tokens of `tokensIn` that the server still had from an earlier call, where it reports. */
  tokensCached?: number;
  totalNs: number;
  loadNs: number;
  promptEvalNs: number;
  evalNs: number;
}

/**
 * Why a call of the server gave no answer. `code`: `model_unreachable`, `model_not_found`, `tools_unsupported`,
 * `model_busy` (503, 429), `model_server_error` (other 5xx),
 * `model_out_of_memory`, `model_load_failed`, `model_request_refused` (other 4xx), `model_timeout`,
 * `model_incomplete` (no final `done`), `model_garbage`, `model_reply_too_large`, `aborted`,
 * `model_context_exceeded` (the prompt does not fit), `thinking_unsupported`, `model_malformed_call` (the server answers,
 * but failed at a call with tools: it could not read what its model wrote), `model_cannot_chat` (an embedding model).
 */
export interface ModelFailure extends Failure {
  httpStatus?: number;
  /** How long the server wants to be left alone. */
  retryAfterMs?: number;
  /** Which of several servers it was. */
  serverUrl?: string;
  /** The counts and the text of the server before it failed. */
  partial?: { content: string; tokensOut: number };
}
export type ChatOutcome = { ok: true; value: ChatReply } | { ok: false; failure: ModelFailure };

export interface ModelDetails {
  model: string;
  capabilities: string[];
  /** Trained context length in tokens, when the server reports it. */
  contextLength?: number;
  parameterSize?: string;
  family?: string;
  /** The oldest version of Ollama that can run it, if the model names one. */
  requiredVersion?: string;
}
export interface InstalledModel {
  name: string;
  sizeBytes: number;
  parameterSize?: string;
}
export interface LoadedModel {
  name: string;
  /** The window really loaded, in tokens. */
  contextLength?: number;
  sizeBytes: number;
  vramBytes: number;
}
