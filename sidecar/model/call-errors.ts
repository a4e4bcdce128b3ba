/**
 * Failures of a call of the model server: errors inside of the client, and the one place that turns
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
/** A line `{"error": …}` in a 200 stream. */
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
    const said = snippetOf(error.message);
    const { code, retryable, about } = refusalOf(said) ?? BROKE_OFF;
    return { code, message: `${about}: ${said}`, retryable };
  }
  if (error instanceof ReplyTooLargeError) {
    return final('model_reply_too_large', `the answer of the model is larger than ${error.maxBytes} bytes`);
  }
  if (error instanceof GarbageError) {
    return retryable('model_garbage', `${facts.baseUrl} did not answer like Ollama: ${error.snippet}`);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (facts.gotHeaders || error instanceof IncompleteError || code === 'ECONNRESET' || code === 'EPIPE') {
    const why = `the answer of ${facts.baseUrl} ended before it was complete (${code ?? message})`;
    return retryable('model_incomplete', why);
  }
  return retryable(
    'model_unreachable',
    `no Ollama server at ${facts.baseUrl} (${code ?? message}); start it with \`ollama serve\` or set ollama.url`,
  );
}

function statusFailure({ status, body }: HttpStatusError, { baseUrl, model }: CallFacts): ModelFailure {
  const said = serverText(body);
  if (status === 404 && model !== undefined) {
    const message = `model ${model} is not installed at ${baseUrl}; run \`ollama pull ${model}\``;
    return { code: 'model_not_found', message, retryable: false, httpStatus: status };
  }
  const { code, retryable, about } =
    refusalOf(said) ?? STATUS_KINDS.find(({ holds }) => holds(status)) ?? REFUSED;
  return { code, message: `${about} (HTTP ${status}): ${said}`, retryable, httpStatus: status };
}

/** Failures that servers put in words, whatever the status; the texts are those of Ollama and of the runner behind it. */
const REFUSALS = [
  {
    says: /does not support tools/i,
    code: 'tools_unsupported',
    retryable: false,
    about: 'the model cannot call tools natively',
  },
  {
    says: /does not support thinking/i,
    code: 'thinking_unsupported',
    retryable: false,
    about: 'the model cannot think',
  },
  {
    says: /exceeds? the (available )?context|longer than the context length/i,
    code: 'model_context_exceeded',
    retryable: false,
    about: 'the prompt does not fit the context window',
  },
  {
    // Words of Ollama itself, of its runner, and of CUDA.
    says: /out of memory|requires more (system |gpu |video )?memory|not enough (system |gpu |video )?memory|unable to allocate/i,
    code: 'model_out_of_memory',
    retryable: true,
    about: 'the server has too little memory for the model',
  },
  {
    says: /file does not exist/i,
    code: 'model_not_found',
    retryable: false,
    about: 'the registry does not have this model',
  },
  {
    says: /pull model manifest/i,
    code: 'model_not_found',
    retryable: false,
    about: 'the server could not ask the registry for this model',
  },
  {
    // The server cannot parse what its own model wrote, and says so with a 500 or in a 200: the words of its readers of
    // JSON and of the elements of Qwen3-Coder.
    says: /error parsing tool call|XML syntax error|expected element type </i,
    code: 'model_malformed_call',
    retryable: true,
    about: 'the server could not read a tool call of its model',
  },
];
const refusalOf = (said: string) => REFUSALS.find(({ says }) => says.test(said));

const BROKE_OFF = { code: 'model_server_error', retryable: true, about: 'the server broke off' };
const STATUS_KINDS = [
  {
    holds: (status: number) => status >= 300 && status < 400,
    code: 'model_request_refused',
    retryable: false,
    about: 'the server redirects to another address, which is not followed; set ollama.url to that address',
  },
  {
    holds: (status: number) => status === 401 || status === 403,
    code: 'model_request_refused',
    retryable: false,
    about:
      'the server refuses the user, the password or this machine; ollama.url takes http://user:password@host:port',
  },
  {
    holds: (status: number) => status === 503,
    code: 'model_busy',
    retryable: true,
    about: 'the server is busy',
  },
  {
    holds: (status: number) => status >= 500,
    code: 'model_server_error',
    retryable: true,
    about: 'the server failed',
  },
];
const REFUSED = { code: 'model_request_refused', retryable: false, about: 'the server refused the request' };

/** Ollama's `{"error": "…"}`, unwrapped once more where the runner's own error is inside; else the text itself. */
function serverText(body: string): string {
  const outer = errorIn(body);
  return snippetOf(outer === undefined ? body : (errorIn(outer) ?? outer));
}

function errorIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
    const { message } = (error ?? {}) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

const snippetOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SNIPPET_CHARS ? `${line.slice(0, SNIPPET_CHARS)}…` : line;
};

const retryable = (code: string, message: string): ModelFailure => ({ code, message, retryable: true });
const final = (code: string, message: string): ModelFailure => ({ code, message, retryable: false });
