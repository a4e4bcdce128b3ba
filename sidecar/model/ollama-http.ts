/**
 * HTTP to an Ollama server: JSON out, JSON objects back, each parsed once. It is `node:http` and not `fetch`, which gives up
 * after 300 s and takes long to load. A call ends by its signal, which closes the socket and so stops the GPU. Each call has
 * a connection of its own, so none fails because the server closed an idle one. Redirects are refused.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isRecord, parseJson } from '../values/json.ts';
import { GarbageError, HttpStatusError, ReplyTooLargeError, ServerSaidError } from './call-errors.ts';

const MAX_ERROR_BODY_BYTES = 4096;

export interface HttpOptions {
  /** Such as `http://user:password@host:11434/path`. */
  baseUrl: string;
  signal: AbortSignal;
  /** Largest body of `object`, and largest line of `lines`. */
  maxReplyBytes: number;
  /** Status and headers of an answer came. */
  onHeaders?: () => void;
}

/** One call. All of it throws typed errors: `HttpStatusError`, `ReplyTooLargeError`, `GarbageError`, `ServerSaidError`, or the socket's. */
export interface HttpCall {
  /** A whole answer. Without `body` it is a GET. */
  object(path: string, body?: object): Promise<object>;
  /** An answer line by line. Reading reads from the socket, so a slow reader slows the server down; leaving closes it. */
  lines(path: string, body: object): AsyncGenerator<object>;
}

export function createHttpCall(options: HttpOptions): HttpCall {
  const { maxReplyBytes } = options;
  return {
    object: async (path, body) =>
      parseObject(await readText(await send(options, path, body), maxReplyBytes, 'refuse')),
    async *lines(path, body) {
      const decoder = new TextDecoder();
      let rest = '';
      const checked = (line: string): string => {
        if (line.length > maxReplyBytes) throw new ReplyTooLargeError(maxReplyBytes);
        return line;
      };
      for await (const piece of (await send(options, path, body)) as AsyncIterable<Buffer>) {
        const text = decoder.decode(piece, { stream: true });
        rest = checked(rest) + text;
        if (!text.includes('\n')) continue;
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') yield parseObject(checked(line));
      }
      if (rest.trim() !== '') yield parseObject(checked(rest));
    },
  };
}

/** Most servers are asked without TLS, and loading that takes several milliseconds. */
const httpsRequest = () => process.getBuiltinModule('node:https').request;

async function send(
  { baseUrl, signal, onHeaders }: HttpOptions,
  path: string,
  body?: object,
): Promise<IncomingMessage> {
  const base = new URL(baseUrl);
  const url = new URL(base.pathname.replace(/\/$/u, '') + path, base);
  const sent = Buffer.from(body ? JSON.stringify(body) : '');
  // As Ollama's own clients do.
  const key = url.origin === 'https://ollama.com' && url.username === '' && process.env.OLLAMA_API_KEY;
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest() : httpRequest)(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': sent.length,
        ...(key && { authorization: `Bearer ${key}` }),
      },
      agent: false,
      signal,
    });
    // It stays for the request's whole life: an abort after the headers is an error event here, too.
    request.on('error', reject).once('response', resolve).end(sent);
  });
  onHeaders?.();
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 299)
    throw new HttpStatusError(status, await readText(message, MAX_ERROR_BODY_BYTES, 'cut'));
  return message;
}

/** The body as text. Past `maxBytes` the socket is closed and the text is cut or refused. */
async function readText(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  past: 'cut' | 'refuse',
): Promise<string> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes <= maxBytes) continue;
    if (past === 'refuse') throw new ReplyTooLargeError(maxBytes);
    break;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes).toString('utf8');
}

/** An object without an `error` in it. */
function parseObject(text: string): object {
  const value = parseJson(text);
  if (!isRecord(value)) throw new GarbageError(text);
  const { error } = value;
  if (error !== undefined)
    throw new ServerSaidError(typeof error === 'string' ? error : JSON.stringify(error));
  return value;
}
