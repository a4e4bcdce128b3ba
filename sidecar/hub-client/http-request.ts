/**
 * One HTTP request over node:http(s), as the hub's client needs it. Node's `fetch` would do,
 * but its first call loads 8 MB and takes longer than the rest of a command's start.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';

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

export interface HttpAnswer {
  status: number;
  /** The status is 2xx. */
  ok: boolean;
  /** The body as it comes; read it once, or `json`. */
  body: AsyncIterable<Buffer>;
  /** Rejects when the body is not JSON, or the connection breaks. */
  json(): Promise<unknown>;
}

/** Rejects when there is no answer: the error of the socket, or an abort. Redirects are answers. */
export async function sendRequest(url: URL, options: HttpRequest): Promise<HttpAnswer> {
  const { method = 'GET', headers, body = '', signal, silenceMs } = options;
  const start = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      timeout: silenceMs,
      // A new connection for each request: the hub may close a kept one just as it is used again.
      agent: false,
    });
    // Stays registered: an abort after the headers emits an error here as well. The body reports it.
    request.on('error', reject);
    let answer: IncomingMessage | undefined;
    request.once('response', (message) => resolve((answer = message)));
    request.once('timeout', () =>
      (answer ?? request).destroy(new Error(`nothing was heard for ${(silenceMs ?? 0) / 1000} s`)),
    );
    request.end(body);
  });
  const status = message.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status <= 299,
    body: message as AsyncIterable<Buffer>,
    json: async () => JSON.parse(await textOf(message)) as unknown,
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error('the answer is larger than 64 MiB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
