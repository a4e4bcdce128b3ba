/**
 * Stands between another program and Ollama and counts what the server says was used: `/api/chat` and `/api/generate` in
 * their last part, `/v1/…` in `usage`. A stream of `/v1` is asked for its usage; the extra part with it is kept back from
 * a program that did not ask. Everything else passes as it is.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { isRecord, parseJson } from '../values/json.ts';
import type { Stretch } from './record.ts';

const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** A line of a stream that is longer passes uncounted. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;
const COUNTED = /^\/(?:api\/(?:chat|generate)|v1\/(?:chat\/)?completions)(?:$|\?)/u;

interface ProxyTotals {
  calls: number;
  tokensIn: number;
  tokensOut: number;
  stretches: Stretch[];
}

export interface RecordingProxy {
  url: string;
  totals: ProxyTotals;
  close(): Promise<void>;
}

/** Starts a proxy on loopback, on any free port, for the server at `target`. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const totals: ProxyTotals = { calls: 0, tokensIn: 0, tokensOut: 0, stretches: [] };
  const startMs = Date.now();
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing, { target, totals, startMs }).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ error: `the recording proxy cannot reach ${target}: ${String(error)}` }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    totals,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Passing {
  target: string;
  totals: ProxyTotals;
  startMs: number;
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, passing: Passing): Promise<void> {
  const path = incoming.url ?? '/';
  const isCounted = COUNTED.test(path) && incoming.method === 'POST';
  const { body, addedUsage } = isCounted
    ? askForUsage(path, await readBody(incoming))
    : { body: await readBody(incoming), addedUsage: false };
  const fromMs = Date.now() - passing.startMs;
  const answer = await send(incoming, body, new URL(path, passing.target), outgoing);
  // Its length would be wrong where a part is kept back.
  const { 'content-length': _length, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, addedUsage ? headers : answer.headers);
  if (!isCounted) {
    answer.pipe(outgoing);
    return;
  }
  const usage = await countWhilePassing(answer, outgoing, addedUsage);
  outgoing.end();
  const { totals, startMs } = passing;
  totals.calls += 1;
  totals.tokensIn += usage.tokensIn;
  totals.tokensOut += usage.tokensOut;
  const label = `call ${totals.calls}: ${usage.tokensIn} tokens in, ${usage.tokensOut} out`;
  totals.stretches.push({ what: 'model', fromMs, toMs: Date.now() - startMs, label });
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_REQUEST_BYTES)
      throw new Error(`the request is larger than ${MAX_REQUEST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function askForUsage(path: string, body: Buffer): { body: Buffer; addedUsage: boolean } {
  const content = path.startsWith('/v1/') ? parseJson(body.toString('utf8')) : undefined;
  if (!isRecord(content) || content.stream !== true) return { body, addedUsage: false };
  const options = isRecord(content.stream_options) ? content.stream_options : {};
  if (options.include_usage === true) return { body, addedUsage: false };
  const asked = { ...content, stream_options: { ...options, include_usage: true } };
  return { body: Buffer.from(JSON.stringify(asked)), addedUsage: true };
}

function send(
  incoming: IncomingMessage,
  body: Buffer,
  url: URL,
  outgoing: ServerResponse,
): Promise<IncomingMessage> {
  const {
    host: _host,
    connection: _connection,
    'transfer-encoding': _encoding,
    ...headers
  } = incoming.headers;
  return new Promise((resolve, reject) => {
    const options = {
      method: incoming.method,
      // An answer that is counted must not come compressed.
      headers: { ...headers, 'content-length': body.length, 'accept-encoding': 'identity' },
      agent: false as const,
    };
    const request = httpRequest(url, options, resolve);
    request.on('error', reject);
    // A program that leaves must not keep the server busy.
    outgoing.on('close', () => request.destroy());
    request.end(body);
  });
}

interface Usage {
  tokensIn: number;
  tokensOut: number;
}

async function countWhilePassing(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  keepsUsageBack: boolean,
): Promise<Usage> {
  const usage: Usage = { tokensIn: 0, tokensOut: 0 };
  let rest = '';
  const take = (line: string): void => {
    const part = parseJson(line.replace(/^data:\s*/u, ''));
    const isKept = addUsage(usage, part) && keepsUsageBack && isOnlyUsage(part);
    if (!isKept) outgoing.write(line);
  };
  answer.setEncoding('utf8');
  for await (const chunk of answer as AsyncIterable<string>) {
    rest += chunk;
    const lines = rest.split(/(?<=\n)/u);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    for (const line of lines) take(line);
    if (rest.length > MAX_LINE_CHARS) {
      outgoing.write(rest);
      rest = '';
    }
  }
  if (rest !== '') take(rest);
  return usage;
}

const ollamaUsage = z.object({ prompt_eval_count: z.number().optional(), eval_count: z.number() });
const openAiUsage = z.object({
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number().default(0) }),
});

function addUsage(usage: Usage, part: unknown): boolean {
  const own = ollamaUsage.safeParse(part).data;
  const other = openAiUsage.safeParse(part).data?.usage;
  usage.tokensIn += own?.prompt_eval_count ?? other?.prompt_tokens ?? 0;
  usage.tokensOut += own?.eval_count ?? other?.completion_tokens ?? 0;
  return own !== undefined || other !== undefined;
}

const isOnlyUsage = (part: unknown): boolean =>
  isRecord(part) && Array.isArray(part.choices) && part.choices.length === 0;
