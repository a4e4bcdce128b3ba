/**
 * Requests to the hub over node:http(s). Every failure becomes a `HubError` with a remedy. Not `fetch`, since its first
 * call loads 8 MB and takes longer than the rest of a command's start.
 */
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { findProxy, describeProxy } from '../../base/addresses/proxy.ts';
import { sleep, systemClock } from '../../base/system/clock.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { HubError } from './hub-error.ts';
import { adviseOnCertificate } from '../../base/values/errors.ts';

/** Delays before retries of a request or a stream. */
export const RECONNECT_MS = [200, 500, 1000, 2000, 5000];
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Destroys the connection when it aborts, at any stage of the request. */
  signal: AbortSignal;
  /** Longest silence before or within an answer, after which the connection counts as lost. */
  silenceMs?: number;
}

/**
 * Sends a request and returns the answer, even a redirect. Rejects with the socket's error, or on abort, if there is no
 * answer.
 */
async function sendRequest(url: URL, options: HttpRequest & { agent?: Agent }): Promise<IncomingMessage> {
  const { method = 'GET', headers, body = '', signal, silenceMs, agent } = options;
  const start = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      timeout: silenceMs,
      // Each request opens a new connection: the hub may close an idle connection just when a request reuses it.
      agent: agent ?? false,
    });
    // Stays registered after the answer: an abort after the headers also emits an error here, which the reader of the
    // body reports.
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection ended without an answer')));
    // A request emits nothing on an abort while its agent connects through a proxy. Otherwise, its own error comes first.
    const unlisten = onAbort(signal, () => setImmediate(reject, new Error('no connection in time')));
    request.once('response', unlisten).once('close', unlisten);
    let answer: IncomingMessage | undefined;
    request.once('response', (message) => resolve((answer = message)));
    request.once('timeout', () =>
      (answer ?? request).destroy(new Error(`no data for ${(silenceMs ?? 0) / 1000} s`)),
    );
    request.end(body);
  });
}

/** Reads a JSON body. Rejects if it is too large or invalid, or if the connection breaks. */
async function readJson(answer: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error('the response of the hub is larger than 64 MiB');
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

/** Sends a request to the hub. Throws `HubError` unless the status is 2xx. The caller must read the body. */
export async function requestHub(base: string, path: string, options: HttpRequest): Promise<IncomingMessage> {
  const url = resolvePath(base, path);
  const proxy = await findProxy(url);
  const { agent } = proxy ?? {};
  let response: IncomingMessage;
  try {
    response = await sendRequest(url, { ...options, ...(agent && { agent }) });
  } catch (error) {
    throw new HubUnreachableError(base, causeOf(error), describeProxy(proxy));
  }
  const { statusCode: status = 0 } = response;
  if (status >= 200 && status <= 299) return response;
  throw await createHubError(`${base}${describeProxy(proxy)}`, response, status);
}

/** Resolves if any answer comes from an address, whatever its status. Rejects with the socket's error. */
export async function probeAddress(url: URL, signal: AbortSignal): Promise<void> {
  const { agent } = (await findProxy(url)) ?? {};
  (await sendRequest(url, { signal, ...(agent && { agent }) })).destroy();
}

/** Resolves `path` below the path of `base`, since a hub may be served below a path of its host (behind a proxy). */
const resolvePath = (base: string, path: string): URL => new URL(`.${path}`, base.replace(/\/*$/u, '/'));

/** The hub did not answer, or its answer was incomplete. `cause`: the system's error code, if any. */
export class HubUnreachableError extends HubError {
  /** True if an open connection was lost: the hub may have handled the request. */
  readonly wasInterrupted: boolean;

  constructor(base: string, cause: string, via = '') {
    super('unreachable', 'hub_unreachable', {
      what: `The hub at ${base} does not answer${via} (${cause}).`,
      advice:
        adviseOnCertificate(cause) ?? 'Start a hub with `ollama-sidecar hub`, or choose another with --hub.',
    });
    this.wasInterrupted = /^(?:ECONNRESET|EPIPE|HTTP \d+)$/u.test(cause);
  }
}

export async function readAnswer<T>(
  base: string,
  response: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<T> {
  const body = await readJson(response).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw new HubUnreachableError(base, causeOf(error));
  });
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw createNotHubError(base);
}

const createNotHubError = (base: string, detail = ''): HubError =>
  new HubError('failed', 'hub_error', {
    what: `The server at ${base}${detail} is not a hub.`,
    advice: 'Check the address, and whether a proxy answers in place of the hub.',
  });

/** Repeats an idempotent request whose connection was cut. Rejects at once if the hub was never reached. */
export async function retryIfInterrupted<T>(send: () => Promise<T>): Promise<T> {
  let wasCut = false;
  for (const delayMs of RECONNECT_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HubUnreachableError)) throw error;
      wasCut ||= error.wasInterrupted;
      if (!wasCut) throw error;
    }
    await sleep(systemClock, delayMs);
  }
  return send();
}

/**
 * Returns the socket's error code, or the reason of an abort. Tests properties, not `instanceof`: the error may be from
 * another realm.
 */
export function causeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? cause);
}

/** Statuses of a proxy whose hub does not answer, for example while the hub restarts. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);

const problemSchema = z.looseObject({ code: z.string(), title: z.string(), detail: z.string().optional() });

async function createHubError(base: string, response: IncomingMessage, status: number): Promise<HubError> {
  const parsed = problemSchema.safeParse(await readJson(response).catch(() => undefined));
  if (!parsed.success)
    return GATEWAY_STATUSES.has(status)
      ? new HubUnreachableError(base, `HTTP ${status}`)
      : createNotHubError(base, ` (HTTP ${status})`);
  const problem = parsed.data;
  const text = `${problem.title}. ${problem.detail ?? ''}`.trim();
  if (status === 401 || status === 403) {
    return new HubError('refused', problem.code, {
      what: `The hub at ${base} refused the request: ${text}`,
      advice: 'Set a token with --token-file or SIDECAR_HUB_API_TOKEN.',
    });
  }
  return new HubError(status >= 500 ? 'failed' : 'request', problem.code, { what: text });
}
