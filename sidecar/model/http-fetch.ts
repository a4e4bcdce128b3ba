/**
 * `fetch` for the `ollama` package over node:http and node:https. An abort destroys the socket at once, which stops the
 * GPU; there are no 300 s limits; replies are bounded; streams have backpressure. A status other than 2xx, a broken
 * line and an `{"error"}` line throw typed errors before the package would print them.
 */
import { Agent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../base/values/errors.ts';
import { isRecord, parseJson } from '../base/values/json.ts';
import { CallError } from './call-errors.ts';

const MAX_ERROR_BODY_BYTES = 4096;
/** How long to wait for the end of a stream after its last line, so that the next call can reuse the socket. */
const MAX_END_WAIT_MS = 10;
/** How long the rest of a stream may take after its last line before the socket is destroyed. */
const MAX_DRAIN_MS = 1_000;
/** How long an idle socket stays open: each task has a pool of its own, and Ollama closes no idle sockets. */
const MAX_IDLE_MS = 30_000;
const NEWLINE_CODE = 10;

/** Sockets of one client; idle ones do not keep the process alive. */
export interface SocketPool {
  readonly http: Agent;
  readonly https: TlsAgent;
  destroy(): void;
}

/** Loads node:https only if needed: it takes several milliseconds, and most servers have no TLS. */
const loadHttps = () => process.getBuiltinModule('node:https');

export function createSocketPool(): SocketPool {
  const options = { keepAlive: true, timeout: MAX_IDLE_MS };
  const http = new Agent(options);
  let tls: TlsAgent | undefined;
  return {
    http,
    get https() {
      return (tls ??= new (loadHttps().Agent)(options));
    },
    destroy() {
      http.destroy();
      tls?.destroy();
    },
  };
}

export interface HttpFetchOptions {
  pool: SocketPool;
  /** Destroys the socket of any active call. */
  signal: AbortSignal;
  /** Maximum size of a body without streaming, and of a line of a stream. */
  maxReplyBytes: number;
}

/** The connection of one call. */
export interface HttpCall {
  /** A `fetch` that returns only the parts of a Response that the `ollama` package uses. */
  readonly fetch: typeof fetch;
  /** Whether status line and headers of a response arrived. */
  readonly hasResponse: boolean;
  /**
   * Ends the call. If the response was complete, resolves when it has ended and its socket is free, or after
   * `MAX_END_WAIT_MS`. Otherwise destroys the socket.
   */
  finish(isComplete: boolean): Promise<void>;
}

/** The part of `RequestInit` that the `ollama` package uses. */
interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export function createHttpCall(options: HttpFetchOptions): HttpCall {
  let message: IncomingMessage | undefined;
  let pieces: AsyncIterator<Buffer> | undefined;
  const fetchOnce = async (input: string, init: FetchInit = {}): Promise<unknown> => {
    message = await sendRequest(new URL(input), init, options);
    const status = message.statusCode ?? 0;
    if (status < 200 || status > 299) {
      const { location } = message.headers;
      if (location !== undefined) {
        message.destroy();
        throw new CallError({ kind: 'status', status, body: `to ${location}`, retryAfter: undefined });
      }
      const { 'retry-after': retryAfter } = message.headers;
      const body = await readText(message, MAX_ERROR_BODY_BYTES, 'cut');
      throw new CallError({ kind: 'status', status, body, retryAfter });
    }
    return responseOf(message, (iterator) => (pieces = iterator), options.maxReplyBytes);
  };
  return {
    fetch: fetchOnce as unknown as typeof fetch,
    get hasResponse() {
      return message !== undefined;
    },
    async finish(isComplete) {
      if (!message || message.readableEnded || message.destroyed) return;
      if (isComplete && pieces)
        await Promise.race([drain(message, pieces), delay(MAX_END_WAIT_MS, undefined, { ref: false })]);
      else message.destroy();
    },
  };
}

/** Sends the request; retries once if the server had closed an idle connection. */
async function sendRequest(url: URL, init: FetchInit, options: HttpFetchOptions): Promise<IncomingMessage> {
  const first = startRequest(url, init, options);
  try {
    return await first.answer;
  } catch (error) {
    const isStale = first.request.reusedSocket && errorCode(error) === 'ECONNRESET';
    if (!isStale || options.signal.aborted) throw error;
    return await startRequest(url, init, options).answer;
  }
}

function startRequest(url: URL, init: FetchInit, { pool, signal }: HttpFetchOptions) {
  const isSecure = url.protocol === 'https:';
  // Encoded once: each call sends the whole conversation.
  const body = Buffer.from(init.body ?? '');
  const request: ClientRequest = (isSecure ? loadHttps().request : httpRequest)(url, {
    method: init.method ?? 'GET',
    headers: { ...init.headers, 'content-length': body.length },
    agent: isSecure ? pool.https : pool.http,
    signal,
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    // The listener stays until the request has ended: an abort after the headers also emits an error event.
    request.on('error', reject);
    request.once('response', resolve);
    // Node emits only `close` if, for example, the server switches to another protocol.
    request.once('close', () => reject(new Error('the connection ended without an answer')));
  });
  request.once('socket', ignoreErrors);
  request.end(body);
  return { request, answer };
}

/**
 * Adds a permanent error listener: when a response ends, Node removes its own listener shortly before the pool adds
 * another one. An abort in between would be an unhandled error, which ends the process.
 */
function ignoreErrors(socket: Socket): void {
  if (!socket.listeners('error').includes(doNothing)) socket.on('error', doNothing);
}

const doNothing = (): void => undefined;

/** Builds the response. `onOpen` is called with the iterator of a streamed body. */
function responseOf(
  message: IncomingMessage,
  onOpen: (pieces: AsyncIterator<Buffer>) => void,
  maxReplyBytes: number,
): object {
  const status = message.statusCode ?? 200;
  return {
    ok: true,
    status,
    statusText: message.statusMessage ?? '',
    headers: { get: (name: string) => message.headers[name.toLowerCase()] ?? null },
    text: async () => await readText(message, maxReplyBytes, 'refuse'),
    json: async () => parseObject(await readText(message, maxReplyBytes, 'refuse')),
    body: {
      getReader: () => {
        const pieces = (message as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
        onOpen(pieces);
        return createLineReader(message, pieces, maxReplyBytes);
      },
    },
  };
}

/** Reads the body as text. If it exceeds `maxBytes`, the socket is destroyed and the text is cut or refused. */
async function readText(
  message: IncomingMessage,
  maxBytes: number,
  onOverflow: 'cut' | 'refuse',
): Promise<string> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes <= maxBytes) {
      pieces.push(piece);
      continue;
    }
    message.destroy();
    if (onOverflow === 'refuse') throw new CallError({ kind: 'too large', maxBytes });
    pieces.push(piece.subarray(0, piece.length - (sizeBytes - maxBytes)));
    break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Parses a JSON object. Throws a `CallError` if the text is not a JSON object or has an `error` field. */
function parseObject(text: string): object {
  const value = parseJson(text);
  if (!isRecord(value)) throw new CallError({ kind: 'garbage', text });
  if ('error' in value)
    throw new CallError({ kind: 'reported', line: JSON.stringify({ error: value.error }) });
  return value;
}

/**
 * Returns a reader of whole lines, validated to be JSON objects without an error. Each read reads from the socket, so a
 * slow consumer slows the server down.
 */
function createLineReader(message: IncomingMessage, pieces: AsyncIterator<Buffer>, maxLineBytes: number) {
  const bufferedPieces: Buffer[] = [];
  let bufferedBytes = 0;
  const takeLines = (piece: Buffer): Buffer => {
    const lines = Buffer.concat([...bufferedPieces, piece]);
    bufferedPieces.length = 0;
    bufferedBytes = 0;
    return lines;
  };
  return {
    async read(): Promise<{ done: boolean; value?: Buffer }> {
      for (;;) {
        const next = await pieces.next();
        if (next.done) {
          const rest = takeLines(Buffer.alloc(0));
          if (rest.length === 0) return { done: true };
          return { done: false, value: validateLines(rest) };
        }
        const end = next.value.lastIndexOf(NEWLINE_CODE) + 1;
        const lines = end > 0 ? takeLines(next.value.subarray(0, end)) : undefined;
        bufferedPieces.push(next.value.subarray(end));
        bufferedBytes += next.value.length - end;
        if (bufferedBytes > maxLineBytes || (lines?.length ?? 0) > 2 * maxLineBytes) {
          message.destroy();
          throw new CallError({ kind: 'too large', maxBytes: maxLineBytes });
        }
        if (lines) return { done: false, value: validateLines(lines) };
      }
    },
    releaseLock: () => undefined,
  };
}

function validateLines(lines: Buffer): Buffer {
  for (const line of lines.toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    parseObject(line);
  }
  return lines;
}

/**
 * Reads the rest of a response after its last line, so that the socket can be reused. Must use the iterator: Node
 * ignores `resume()` while an iterator listens for `readable`. Never rejects.
 */
async function drain(message: IncomingMessage, pieces: AsyncIterator<Buffer>): Promise<void> {
  const timer = setTimeout(() => message.destroy(), MAX_DRAIN_MS).unref();
  try {
    while (!(await pieces.next()).done);
  } catch {
    // The answer was complete before the connection broke.
  } finally {
    clearTimeout(timer);
  }
}
