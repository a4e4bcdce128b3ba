/**
 * `ModelServer` over the `ollama` package. Every method resolves: an expected failure is an outcome with a stable code.
 * Each call has its own abort, which closes its socket and stops the GPU; `abort()` ends all calls.
 */
import { Ollama } from 'ollama';
import type { ChatRequest as PackageRequest, ChatResponse } from 'ollama';
import { systemClock } from '../base/system/clock.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { CallError, toFailure } from './call-errors.ts';
import { openCallScope } from './call-scope.ts';
import type { CallScope } from './call-scope.ts';
import type { ChatCall, ChatOutcome, ChatReply, ChatRequest, ModelFailure, ModelServer } from './chat.ts';
import { createHttpCall, createSocketPool } from './http-fetch.ts';
import {
  chatPartSchema,
  pullPartSchema,
  readDetails,
  parseInstalledModels,
  parseLoadedModels,
  readVersion,
  toReply,
} from './wire.ts';
import type { ChatPart } from './wire.ts';
import { removeCredentials } from '../base/addresses/credentials.ts';
import type { Outcome } from '../base/values/outcome.ts';

/** Maximum size of a reply: several times the text of the largest window. */
const DEFAULT_MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Maximum number of equal tokens in a row; normal text has fewer. */
const MAX_SAME_TOKENS = 500;
/** Timeout of requests that a server answers at once. */
const SHORT_REQUEST_TIMEOUT_MS = 30_000;
/** Timeout of a pull without progress. */
const PULL_SILENCE_MS = 120_000;

export interface OllamaServerOptions {
  /** Base URL, such as `http://127.0.0.1:11434`. */
  baseUrl: string;
  logger?: Logger;
  /** Maximum size of an answer in bytes; a larger answer fails with `model_reply_too_large`. */
  maxReplyBytes?: number;
  clock?: Clock;
}

/** The answer of a call so far, which a failure includes. */
interface CallProgress {
  partial?: { content: string; tokensOut: number };
}

interface StreamContext {
  scope: CallScope;
  progress: CallProgress;
  clock: Clock;
  maxChars: number;
}

export function createOllamaServer(options: OllamaServerOptions): ModelServer {
  const { baseUrl, logger, clock = systemClock, maxReplyBytes = DEFAULT_MAX_REPLY_BYTES } = options;
  const pool = createSocketPool();
  const openScopes = new Set<CallScope>();
  /** End of the last answer's stream, which the next call waits for to reuse the socket. */
  let lastEnd: Promise<void> = Promise.resolve();

  /** Runs one call in its own scope; any error becomes a failure. */
  async function call<T>(
    facts: { model?: string; signal?: AbortSignal },
    run: (client: Ollama, scope: CallScope, progress: CallProgress) => Promise<T>,
  ): Promise<Outcome<T, ModelFailure>> {
    const scope = openCallScope(clock, facts.signal);
    const progress: CallProgress = {};
    const http = createHttpCall({ pool, signal: scope.signal, maxReplyBytes });
    openScopes.add(scope);
    await lastEnd;
    try {
      const value = await run(new Ollama({ host: baseUrl, fetch: http.fetch }), scope, progress);
      lastEnd = http.finish(true);
      return { ok: true, value };
    } catch (error) {
      await http.finish(false);
      const failure = toFailure(error, {
        baseUrl: removeCredentials(baseUrl),
        model: facts.model,
        ending: scope.ending,
        hasHeaders: http.hasResponse,
        ...progress,
      });
      logger?.debug(
        { code: failure.code, model: facts.model, error: String(error) },
        'a call to the model server failed',
      );
      return { ok: false, failure };
    } finally {
      scope.close();
      openScopes.delete(scope);
    }
  }

  const request = async <T>(
    facts: { model?: string; signal?: AbortSignal },
    send: (client: Ollama) => Promise<unknown>,
    read: (raw: unknown) => T | undefined,
  ): Promise<Outcome<T>> =>
    await call(facts, async (client, scope) => {
      scope.limit('answer', SHORT_REQUEST_TIMEOUT_MS);
      return parseAnswer(await send(client), read);
    });

  const readServerVersion = async (signal?: AbortSignal) =>
    await request({ signal }, (client) => client.version(), readVersion);

  return {
    chat: async (request, chatCall): Promise<ChatOutcome> => {
      const startedMs = clock.monotonicMs();
      const { model, messages } = request;
      const outcome = await call({ model, signal: chatCall.signal }, async (client, scope, progress) => {
        const stream = { scope, progress, clock, maxChars: maxReplyBytes };
        return request.stream
          ? await requestStreamedReply(client, request, chatCall, stream)
          : await requestWholeReply(client, request, chatCall, scope);
      });
      if (messages.length === 0) return addLoadTime(outcome, clock.monotonicMs() - startedMs);
      return await attributeToolFailure(outcome, request, () => readServerVersion(chatCall.signal));
    },
    show: async (model, signal) =>
      await request(
        { model, signal },
        (client) => client.show({ model }),
        (raw) => readDetails(model, raw),
      ),
    list: async (signal) => await request({ signal }, (client) => client.list(), parseInstalledModels),
    listLoaded: async (signal) => await request({ signal }, (client) => client.ps(), parseLoadedModels),
    version: readServerVersion,
    pull: async (model, { signal, onPercent }) =>
      await call({ model, signal }, async (client, scope) => await pull(client, model, scope, onPercent)),
    abort() {
      for (const scope of openScopes) scope.abort();
      pool.destroy();
    },
  };
}

/** Parses an answer of the server. Throws `CallError` if it is not as documented. */
function parseAnswer<T>(raw: unknown, read: (raw: unknown) => T | undefined): T {
  const value = read(raw);
  if (value === undefined) throw new CallError({ kind: 'garbage', text: JSON.stringify(raw) ?? '' });
  return value;
}

/**
 * Attributes the failure of a call with tools to the model if the server is healthy: a server that cannot parse its
 * model's calls ends the answer with an error whose text differs by model and version.
 */
async function attributeToolFailure(
  outcome: ChatOutcome,
  { tools }: ChatRequest,
  probe: () => Promise<Outcome<unknown>>,
): Promise<ChatOutcome> {
  if (outcome.ok || !tools?.length) return outcome;
  const { code, httpStatus = 200 } = outcome.failure;
  if (code !== 'model_server_error' || (httpStatus !== 200 && httpStatus !== 500)) return outcome;
  if (!(await probe()).ok) return outcome;
  const message = `the server could not parse the model's tool call: ${outcome.failure.message}`;
  return { ok: false, failure: { ...outcome.failure, code: 'model_malformed_call', message } };
}

/** Sets the load time of a load call to its duration: Ollama reports the load time only in the next answer, if at all. */
function addLoadTime(outcome: ChatOutcome, durationMs: number): ChatOutcome {
  if (!outcome.ok || outcome.value.loadNs > 0) return outcome;
  return { ok: true, value: { ...outcome.value, loadNs: toNs(durationMs) } };
}

/**
 * Converts a request to the package's form. Adds `truncate: false`, with which servers refuse a prompt that is too
 * long; older servers ignore it.
 */
function toPackageRequest(request: ChatRequest): PackageRequest {
  const { keepAlive, ...rest } = request;
  const body = {
    ...rest,
    ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }),
    ...(request.messages.length === 0 ? {} : { truncate: false }),
  };
  // The package's types are narrower than the server; it sends the object unchanged.
  return body as unknown as PackageRequest;
}

async function requestWholeReply(
  client: Ollama,
  request: ChatRequest,
  { timeoutMs }: ChatCall,
  scope: CallScope,
): Promise<ChatReply> {
  scope.limit('answer', timeoutMs);
  const part = readPart(await client.chat({ ...toPackageRequest(request), stream: false }));
  if (!part.done) throw new CallError({ kind: 'incomplete' });
  return toReply(part.message ?? createEmptyMessage(), part);
}

async function requestStreamedReply(
  client: Ollama,
  request: ChatRequest,
  call: ChatCall,
  { scope, progress, clock, maxChars }: StreamContext,
): Promise<ChatReply> {
  scope.limit('first token', call.firstTokenTimeoutMs);
  const message = createEmptyMessage();
  const startedMs = clock.monotonicMs();
  let firstTokenMs: number | undefined;
  let tokens = 0;
  let repeated = { token: '', count: 0 };
  for await (const raw of await client.chat({ ...toPackageRequest(request), stream: true })) {
    const part = readPart(raw);
    if (part.message) {
      message.content += part.message.content;
      message.thinking += part.message.thinking;
      message.tool_calls.push(...part.message.tool_calls);
      if (message.content.length + message.thinking.length > maxChars)
        throw new CallError({ kind: 'too large', maxBytes: maxChars });
    }
    if (part.done) return toReply(message, part);
    tokens += 1;
    firstTokenMs ??= clock.monotonicMs();
    progress.partial = { content: message.content, tokensOut: tokens };
    scope.limit('next token', call.betweenTokensTimeoutMs);
    if (!part.message) continue;
    const token = part.message.content || part.message.thinking;
    repeated = { token, count: token === repeated.token && token.trim() !== '' ? repeated.count + 1 : 1 };
    if (repeated.count > MAX_SAME_TOKENS) throw new CallError({ kind: 'repeated token', token });
    notifyDelta(call.onDelta, part.message);
    const content = extractIfEnded(message.content, part.message.content, call.extractAnswer);
    if (content === undefined) continue;
    scope.abort();
    const times = { startedMs, firstTokenMs, endedMs: clock.monotonicMs() };
    return buildEndedReply(content, { tokensIn: call.promptTokens ?? 0, tokensOut: tokens }, times);
  }
  throw new CallError({ kind: 'incomplete' });
}

/**
 * Returns the wanted part of the answer if it ends with the last whole line. A server delays text that may begin a stop
 * sequence, so a piece may end one line and begin the next.
 */
function extractIfEnded(
  content: string,
  piece: string,
  extractAnswer: ChatCall['extractAnswer'],
): string | undefined {
  if (!extractAnswer || !piece.includes('\n')) return undefined;
  return extractAnswer(content.slice(0, content.lastIndexOf('\n') + 1));
}

/** Builds the reply for an answer that this client cut off, so that the server sent no counts or times. */
function buildEndedReply(
  content: string,
  counts: Pick<ChatReply, 'tokensIn' | 'tokensOut'>,
  { startedMs, firstTokenMs, endedMs }: Record<'startedMs' | 'firstTokenMs' | 'endedMs', number>,
): ChatReply {
  return {
    message: { role: 'assistant', content },
    doneReason: 'stop',
    ...counts,
    isEstimated: true,
    totalNs: toNs(endedMs - startedMs),
    loadNs: 0,
    promptEvalNs: toNs(firstTokenMs - startedMs),
    evalNs: toNs(endedMs - firstTokenMs),
  };
}

const toNs = (ms: number): number => Math.round(ms * 1e6);

/** Calls the listener; its error must not end the answer. */
function notifyDelta(
  onDelta: ChatCall['onDelta'],
  { content, thinking }: { content: string; thinking: string },
): void {
  try {
    onDelta?.({ content, thinking });
  } catch {
    // A listener that throws violates the contract of `ChatCall`.
  }
}

async function pull(
  client: Ollama,
  model: string,
  scope: CallScope,
  onPercent: ((percent: number) => void) | undefined,
): Promise<true> {
  const layers = new Map<string, { total: number; completed: number }>();
  let reportedPercent = 0;
  scope.limit('progress', PULL_SILENCE_MS);
  for await (const raw of await client.pull({ model, stream: true })) {
    scope.limit('progress', PULL_SILENCE_MS);
    const { digest, total, completed } = pullPartSchema.parse(raw);
    if (digest === '' || total === 0) continue;
    layers.set(digest, { total, completed });
    const percent = percentOf([...layers.values()]);
    if (percent <= reportedPercent) continue;
    reportedPercent = percent;
    onPercent?.(percent);
  }
  if (reportedPercent < 100) onPercent?.(100);
  return true;
}

function percentOf(layers: { total: number; completed: number }[]): number {
  const total = layers.reduce((sum, layer) => sum + layer.total, 0);
  const completed = layers.reduce((sum, layer) => sum + Math.min(layer.completed, layer.total), 0);
  return Math.floor((completed / total) * 100);
}

function readPart(raw: ChatResponse): ChatPart {
  const parsed = chatPartSchema.safeParse(raw);
  if (!parsed.success) throw new CallError({ kind: 'garbage', text: JSON.stringify(raw) });
  return parsed.data;
}

const createEmptyMessage = (): NonNullable<ChatPart['message']> => ({
  role: 'assistant',
  content: '',
  thinking: '',
  tool_calls: [],
});
