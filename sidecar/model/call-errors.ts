/**
 * Failures of model-server calls: the errors inside the client, and their conversion to failures with a stable code and
 * advice for the user (docs/ERRORS.md).
 */
import * as z from 'zod';
import { isRecord, parseJson } from '../base/values/json.ts';
import { clip } from '../base/values/shortening.ts';
import type { ModelFailure } from './chat.ts';
import { adviseOnCertificate, errorCode, errorMessage } from '../base/values/errors.ts';

const MAX_SNIPPET_CHARS = 300;

/** The causes of a failed call that readers of a response detect. */
export type CallProblem =
  /** A status other than 2xx. `body` is its beginning, `retryAfter` the header. */
  | { kind: 'status'; status: number; body: string; retryAfter: string | undefined }
  /** A body or a line longer than allowed. */
  | { kind: 'too large'; maxBytes: number }
  /** A response with status 200 that is not Ollama's JSON. */
  | { kind: 'garbage'; text: string }
  /** A line `{"error": …}` in a stream with status 200. */
  | { kind: 'reported'; line: string }
  /** The answer ended before its final `done`. */
  | { kind: 'incomplete' }
  /** A stream that repeats a single token. */
  | { kind: 'repeated token'; token: string };

/** Error with which the reader of a response ends its call; `toFailure` converts it to a failure. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly problem: CallProblem;
  constructor(problem: CallProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

/** The failure of a call that its caller cancelled. */
export const CANCELLED_CALL: ModelFailure = {
  code: 'aborted',
  message: 'the model call was cancelled',
  retryable: false,
};

/** The reason why this client ended a call: the caller's abort, or a timeout. */
export type ClientEnding =
  | { kind: 'aborted' }
  /** The caller's own time limit was exceeded. */
  | { kind: 'late'; afterMs: number }
  | { kind: 'timeout'; budget: 'answer' | 'first token' | 'next token' | 'progress'; timeoutMs: number };

export interface CallFacts {
  baseUrl: string;
  model?: string;
  /** Reason why this client ended the call, if it did. It takes precedence over the error of the socket. */
  ending?: ClientEnding;
  hasHeaders: boolean;
  partial?: { content: string; tokensOut: number };
}

/** Converts any error of a call to a failure. Pure. */
export function toFailure(error: unknown, facts: CallFacts): ModelFailure {
  const failure = facts.ending ? convertEnding(facts.ending, facts) : convertError(error, facts);
  return facts.partial ? { ...failure, partial: facts.partial } : failure;
}

function convertEnding(ending: ClientEnding, { baseUrl }: CallFacts): ModelFailure {
  if (ending.kind === 'aborted') return CANCELLED_CALL;
  if (ending.kind === 'late') {
    const seconds = Math.max(1, Math.round(ending.afterMs / 1000));
    return buildRetryableFailure('model_timeout', `no answer from ${baseUrl} within ${seconds} s`);
  }
  return buildRetryableFailure(
    'model_timeout',
    `${baseUrl} sent no ${ending.budget} within ${ending.timeoutMs} ms${TIMEOUT_ADVICE[ending.budget]}`,
  );
}

const TIMEOUT_ADVICE = {
  answer: '; raise ollama.requestTimeoutMs if chat calls are slow',
  'first token': '; raise ollama.firstTokenTimeoutMs for a slow model',
  'next token': '; raise ollama.betweenTokensTimeoutMs for a slow model',
  progress: '',
};

function convertError(error: unknown, facts: CallFacts): ModelFailure {
  if (!(error instanceof CallError)) return convertConnectionError(error, facts);
  const { problem } = error;
  switch (problem.kind) {
    case 'status':
      return convertStatus(problem, facts);
    case 'reported': {
      const { reason, isTooLong } = readError(problem.line);
      const { code, retryable, summary } = isTooLong
        ? PROMPT_TOO_LONG_FAILURE
        : (refusalOf(reason) ?? ABORTED_ANSWER_FAILURE);
      return { code, message: `${summary}: ${reason}`, retryable };
    }
    case 'too large':
      return buildFinalFailure(
        'model_reply_too_large',
        `the answer of the model is larger than ${problem.maxBytes} bytes`,
      );
    case 'repeated token': {
      const token = JSON.stringify(snippetOf(problem.token));
      return buildFinalFailure(
        'model_repeats_token',
        `the model repeats only ${token}: the GPU, its driver or the model's file is broken. Restart the model server ${facts.baseUrl}, then pull the model again or use another one`,
      );
    }
    case 'garbage': {
      const message = `${facts.baseUrl} did not answer like Ollama: ${snippetOf(problem.text)}`;
      return buildRetryableFailure('model_garbage', message);
    }
    default:
      return buildIncompleteFailure('the final message with `done` is missing', facts);
  }
}

/** Converts a connection error (socket or name lookup) to a failure. */
function convertConnectionError(error: unknown, facts: CallFacts): ModelFailure {
  const cause = errorCode(error) ?? errorMessage(error);
  if (facts.hasHeaders || cause === 'ECONNRESET' || cause === 'EPIPE')
    return buildIncompleteFailure(cause, facts);
  const advice = adviseOnCertificate(cause) ?? 'start it with `ollama serve` or set ollama.url';
  return buildRetryableFailure(
    'model_unreachable',
    `no Ollama server at ${facts.baseUrl} (${cause}); ${advice}`,
  );
}

const buildIncompleteFailure = (cause: string, { baseUrl }: CallFacts): ModelFailure =>
  buildRetryableFailure(
    'model_incomplete',
    `the answer of ${baseUrl} ended before it was complete (${cause})`,
  );

function convertStatus(
  { status, body, retryAfter }: Extract<CallProblem, { kind: 'status' }>,
  { baseUrl, model }: CallFacts,
): ModelFailure {
  const { reason, isTooLong } = readError(body);
  if (status === 404 && model !== undefined) {
    const message = `model ${model} is not installed at ${baseUrl}; run \`ollama pull ${model}\``;
    return { code: 'model_not_found', message, retryable: false, httpStatus: status };
  }
  const kind = isTooLong ? PROMPT_TOO_LONG_FAILURE : (refusalOf(reason) ?? statusKindOf(status, model));
  const { code, retryable, summary } = kind;
  const retryAfterMs = retryable && retryAfter !== undefined ? parseRetryAfter(retryAfter) : undefined;
  return {
    code,
    message: `${summary} (HTTP ${status}): ${reason}`,
    retryable,
    httpStatus: status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Parses `Retry-After`: seconds, or a date. */
function parseRetryAfter(retryAfter: string): number | undefined {
  const ms = /^\d+$/u.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const PROMPT_TOO_LONG_FAILURE = {
  code: 'model_context_exceeded',
  retryable: false,
  summary: 'the prompt does not fit the context window',
};

/** Failures that servers report only as text; the patterns match texts of Ollama and its runner. */
const REFUSAL_PATTERNS = [
  {
    pattern: /does not support tools/i,
    code: 'tools_unsupported',
    retryable: false,
    summary: 'the model cannot call tools natively',
  },
  {
    pattern: /does not support thinking/i,
    code: 'thinking_unsupported',
    retryable: false,
    summary: 'the model cannot think',
  },
  {
    // Texts of Ollama itself, of its runner, and of CUDA.
    pattern:
      /out of memory|requires more (system |gpu |video )?memory|not enough (system |gpu |video )?memory|unable to allocate/i,
    code: 'model_out_of_memory',
    retryable: true,
    summary: 'the server has too little memory for the model',
  },
  {
    pattern: /file does not exist/i,
    code: 'model_not_found',
    retryable: false,
    summary: 'the registry does not have this model',
  },
  {
    pattern: /pull model manifest/i,
    code: 'model_not_found',
    retryable: false,
    summary: 'the server could not reach the registry for this model',
  },
];
const refusalOf = (reason: string) => REFUSAL_PATTERNS.find(({ pattern }) => pattern.test(reason));

const ABORTED_ANSWER_FAILURE = {
  code: 'model_server_error',
  retryable: true,
  summary: 'the server aborted the answer',
};

/** Returns code and summary of the failure for an HTTP status. `model`: the requested model, if any. */
function statusKindOf(status: number, model: string | undefined) {
  if (status === 429)
    return { code: 'model_busy', retryable: true, summary: 'the rate limit of the server is reached' };
  if (status === 503) return { code: 'model_busy', retryable: true, summary: 'the server is busy' };
  if (status >= 500) return { code: 'model_server_error', retryable: true, summary: 'the server failed' };
  const summary =
    status < 400
      ? 'the server redirects to another address, which is not followed; set ollama.url to that address'
      : status === 401 || status === 403
        ? describeRefusedAccess(model)
        : 'the server refused the request';
  return { code: 'model_request_refused', retryable: false, summary };
}

/**
 * Explains a status 401 or 403. A request with a model follows a successful list request, so the password is correct.
 */
const describeRefusedAccess = (model: string | undefined): string =>
  model === undefined
    ? 'the server refuses the user, the password or this machine; to send a user and a password, set ollama.url to http://user:password@host:port'
    : `the server lists ${model} but refuses access to it; a cloud model needs \`ollama signin\` on the server, and an account that may use it`;

interface ServerError {
  /** The server's error text. */
  reason: string;
  /** Whether the runner's token counts show that the prompt does not fit. */
  isTooLong: boolean;
}

/** Parses Ollama's `{"error": "…"}`, also with the runner's error nested inside; else returns the text. */
function readError(body: string): ServerError {
  const outer = parseErrorField(body);
  const inner = outer && parseErrorField(outer.text);
  const { text, counts } = inner ?? outer ?? { text: body };
  return { reason: snippetOf(text), isTooLong: isOverflow(counts ?? outer?.counts) };
}

/** Token counts in an error of the runner. */
const overflowSchema = z.object({ n_prompt_tokens: z.number(), n_ctx: z.number() });

function isOverflow(counts: unknown): boolean {
  const { data } = overflowSchema.safeParse(counts);
  return data !== undefined && data.n_prompt_tokens >= data.n_ctx;
}

function parseErrorField(text: string): { text: string; counts?: unknown } | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { error } = value;
  if (typeof error === 'string') return { text: error };
  if (!isRecord(error) || typeof error.message !== 'string') return undefined;
  return { text: error.message, counts: error };
}

const snippetOf = (text: string): string => clip(text, MAX_SNIPPET_CHARS);
const buildRetryableFailure = (code: string, message: string): ModelFailure => ({
  code,
  message,
  retryable: true,
});
const buildFinalFailure = (code: string, message: string): ModelFailure => ({
  code,
  message,
  retryable: false,
});
