/**
 * What can go wrong in a call of the model server: errors inside of the client, and the one place that turns
 * them into failures with a stable code and a message that says what to do (docs/ERRORS.md).
 */
import type { ModelFailure } from './chat.ts';

const SNIPPET_CHARS = 300;

/** An answer with a status that is not 2xx. `body` is its beginning. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}
/** A body or a line longer than allowed. */
export class ReplyTooLargeError extends Error {
  override readonly name = 'ReplyTooLargeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}
/** A 200 whose body is not what Ollama sends. */
export class GarbageError extends Error {
  override readonly name = 'GarbageError';
  readonly snippet: string;
  constructor(text: string) {
    super('not the JSON of an Ollama server');
    this.snippet = snippetOf(text);
  }
}
/** A line `{"error": …}` in a 200 stream (formats.md, Ollama's chat messages). */
export class ServerSaidError extends Error {
  override readonly name = 'ServerSaidError';
}
/** The answer ended before its final `done`. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
}

/** Why our side ended a call: the caller, or a budget of time. */
export type EndedByUs =
  | { kind: 'aborted' }
  | { kind: 'timeout'; budget: 'answer' | 'first token' | 'next token' | 'progress'; timeoutMs: number };

export interface CallFacts {
  baseUrl: string;
  model?: string;
  /** Set when our side ended the call; then it is the cause, whatever the socket said. */
  ended?: EndedByUs;
  gotHeaders: boolean;
  partial?: { content: string; tokensOut: number };
}

/** The failure for an error of a call. Pure; every error gets one. */
export function toFailure(error: unknown, facts: CallFacts): ModelFailure {
  const failure = facts.ended ? endedFailure(facts.ended, facts) : errorFailure(error, facts);
  return facts.partial ? { ...failure, partial: facts.partial } : failure;
}

function endedFailure(ended: EndedByUs, { baseUrl }: CallFacts): ModelFailure {
  if (ended.kind === 'aborted') {
    return { code: 'aborted', message: 'the call of the model was cancelled', retryable: false };
  }
  return retryable(
    'model_timeout',
    `${baseUrl} gave no ${ended.budget} within ${ended.timeoutMs} ms; a slower model needs a larger limit`,
  );
}

function errorFailure(error: unknown, facts: CallFacts): ModelFailure {
  if (error instanceof HttpStatusError) return statusFailure(error, facts);
  if (error instanceof ServerSaidError) {
    return retryable('model_server_error', `the server broke off: ${snippetOf(error.message)}`);
  }
  if (error instanceof ReplyTooLargeError) {
    return final('model_reply_too_large', `the answer of the model is larger than ${error.maxBytes} bytes`);
  }
  if (error instanceof GarbageError) {
    return retryable('model_garbage', `${facts.baseUrl} did not answer like Ollama: ${error.snippet}`);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (facts.gotHeaders || error instanceof IncompleteError || code === 'ECONNRESET' || code === 'EPIPE') {
    return retryable('model_incomplete', `the answer ended before it was complete (${code ?? message})`);
  }
  return retryable(
    'model_unreachable',
    `no Ollama server at ${facts.baseUrl} (${code ?? message}); start it with \`ollama serve\` or set ollama.url`,
  );
}

function statusFailure({ status, body }: HttpStatusError, { baseUrl, model }: CallFacts): ModelFailure {
  const said = serverText(body);
  const failure = ((): ModelFailure => {
    if (status === 404) {
      return model === undefined
        ? final('model_request_refused', `${baseUrl} does not know this request (404): ${said}`)
        : final(
            'model_not_found',
            `model ${model} is not installed at ${baseUrl}; run \`ollama pull ${model}\``,
          );
    }
    if (status === 503) return retryable('model_busy', `the server is busy (503): ${said}`);
    if (status >= 500) return retryable('model_server_error', `the server failed (${status}): ${said}`);
    if (/does not support tools/i.test(said)) {
      return final('tools_unsupported', `model ${model ?? ''} cannot call tools natively: ${said}`);
    }
    if (/exceeds? the (available )?context/i.test(said)) {
      return final('model_context_exceeded', `the prompt does not fit the context window: ${said}`);
    }
    return final('model_request_refused', `the server refused the request (${status}): ${said}`);
  })();
  return { ...failure, httpStatus: status };
}

/** Ollama's `{"error": "…"}`, or the beginning of whatever was sent. */
function serverText(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return snippetOf(error);
  } catch {
    // Not JSON: the text itself is the best there is.
  }
  return snippetOf(body);
}

export const snippetOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SNIPPET_CHARS ? `${line.slice(0, SNIPPET_CHARS)}…` : line;
};

const retryable = (code: string, message: string): ModelFailure => ({ code, message, retryable: true });
const final = (code: string, message: string): ModelFailure => ({ code, message, retryable: false });
