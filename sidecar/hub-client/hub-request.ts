/**
 * Requests to the hub over node:http(s). Every failure becomes a `HubError` with what to do. Node's `fetch` would do, but its
 * first call loads 8 MB and takes longer than the rest of a command's start.
 */
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { proxyFor, viaProxy } from '../addresses/proxy.ts';
import { sleep, systemClock } from '../system/clock.ts';
import { HubError } from './hub-error.ts';
import { certificateAdvice } from '../values/errors.ts';

/** Waits before a request or a stream is tried again. */
export const RECONNECT_MS = [200, 500, 1000, 2000, 5000];
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Destroys the connection at any stage. */
  signal: AbortSignal;
  /** Longest silence, before the answer and within its body; after it the connection counts as lost. */
  silenceMs?: number;
}

/** Rejects when there is no answer: the error of the socket, or an abort. Redirects are answers. */
async function sendRequest(url: URL, options: HttpRequest & { agent?: Agent }): Promise<IncomingMessage> {
  const { method = 'GET', headers, body = '', signal, silenceMs, agent } = options;
  const start = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      timeout: silenceMs,
      // A new connection for each request: the hub may close a kept one just as it is used again.
      agent: agent ?? false,
    });
    // Stays registered: an abort after the headers emits an error here as well. The body reports it.
    request.on('error', reject);
    let answer: IncomingMessage | undefined;
    request.once('response', (message) => resolve((answer = message)));
    request.once('timeout', () =>
      (answer ?? request).destroy(new Error(`no data for ${(silenceMs ?? 0) / 1000} s`)),
    );
    request.end(body);
  });
}

/** Rejects when the body is too large or not JSON, or the connection breaks. */
async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error('the answer is larger than 64 MiB');
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

/** Throws `HubError` where there is no answer, or one whose status is not 2xx. Its body is to be read once. */
export async function request(base: string, path: string, init: HttpRequest): Promise<IncomingMessage> {
  const url = below(base, path);
  const proxy = await proxyFor(url);
  const { agent } = proxy ?? {};
  let response: IncomingMessage;
  try {
    response = await sendRequest(url, { ...init, ...(agent && { agent }) });
  } catch (error) {
    throw new HubUnreachableError(base, causeOf(error), viaProxy(proxy));
  }
  const { statusCode: status = 0 } = response;
  if (status >= 200 && status <= 299) return response;
  throw await problemOf(`${base}${viaProxy(proxy)}`, response, status);
}

/** Whether anything answers at an address, with whatever status. Rejects like the socket does. */
export async function probe(url: URL, signal: AbortSignal): Promise<void> {
  const { agent } = (await proxyFor(url)) ?? {};
  (await sendRequest(url, { signal, ...(agent && { agent }) })).destroy();
}

/** A hub may stand below a path of its host, so the path of `base` stays. */
const below = (base: string, path: string): URL => new URL(`.${path}`, base.replace(/\/*$/u, '/'));

/** There was no answer, or only part of one. `cause`: the system's code where there is one. */
export class HubUnreachableError extends HubError {
  /** The connection was lost after it stood: the hub may or may not have handled the request. */
  readonly cut: boolean;

  constructor(base: string, cause: string, via = '') {
    super('unreachable', 'hub_unreachable', {
      what: `The hub at ${base} does not answer${via} (${cause}).`,
      advice: certificateAdvice(cause) ?? 'Start one with `ollama-sidecar hub`, or name another with --hub.',
    });
    this.cut = /^(ECONNRESET|EPIPE)$/u.test(cause);
  }
}

export async function readAnswer<T>(
  base: string,
  response: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<T> {
  const body = await jsonOf(response).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw new HubUnreachableError(base, causeOf(error));
  });
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw notAHub(base);
}

const notAHub = (base: string, how = ''): HubError =>
  new HubError('failed', 'hub_error', {
    what: `What answers at ${base}${how} is not the API of a hub.`,
    advice: 'Check the address: is a proxy in between?',
  });

/** Repeats a request that may arrive twice until it is answered. Does not wait for a hub that was never reached. */
export async function againWhenCut<T>(send: () => Promise<T>): Promise<T> {
  let wasCut = false;
  for (const delayMs of RECONNECT_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HubUnreachableError)) throw error;
      wasCut ||= error.cut;
      if (!wasCut) throw error;
    }
    await sleep(systemClock, delayMs);
  }
  return send();
}

/** The code of the socket's error, or why the request was aborted. By shape: it may come from another realm. */
export function causeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? cause);
}

const problemSchema = z.looseObject({ code: z.string(), title: z.string(), detail: z.string().optional() });

async function problemOf(base: string, response: IncomingMessage, status: number): Promise<HubError> {
  const parsed = problemSchema.safeParse(await jsonOf(response).catch(() => undefined));
  if (!parsed.success) return notAHub(base, ` (HTTP ${status})`);
  const problem = parsed.data;
  const text = `${problem.title}. ${problem.detail ?? ''}`.trim();
  if (status === 401 || status === 403) {
    return new HubError('refused', problem.code, {
      what: `The hub at ${base} refused the request: ${text}`,
      advice: 'Give a token with --token-file or SIDECAR_HUB_API_TOKEN.',
    });
  }
  return new HubError(status >= 500 ? 'failed' : 'request', problem.code, { what: text });
}
