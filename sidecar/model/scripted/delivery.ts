/**
 * Sends an answer over HTTP, whole or in pieces, with the scenario's faults. Every wait ends if the client disconnects
 * (`gone`).
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, StreamEnd } from './scenario.ts';

export interface Answer {
  /** Pieces of a stream, without the last. */
  chunks: object[];
  /** The single object of an answer without streaming. */
  whole: object;
  /** The fields that complete the answer. */
  final: object;
  stream: boolean;
  /** How a stream without faults ends. */
  streamEnd: StreamEnd;
}

/** Delay after which a stream ends `later` than its last line; Ollama 0.24 took 0.6 to 1.7 ms. */
const LATER_MS = 1;

/** The connection of one request, and the signals that end it. */
export interface Exchange {
  response: ServerResponse;
  /** Aborted when the connection or the server is closed. */
  gone: AbortSignal;
  /** Aborted when the scenario's `hold` is released. */
  released: AbortSignal;
  /** Set if a fault closed the connection from this side. */
  cutByServer: boolean;
}

const HUGE_PIECE_BYTES = 64 * 1024;

/** Waits; ends early without an error if the client disconnects. */
export async function pause(delayMs: number, gone: AbortSignal): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { signal: gone }).catch(() => undefined);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends `answer` or its `fault`. Resolves when nothing more will be sent. */
export async function deliver(answer: Answer, fault: Fault | undefined, exchange: Exchange): Promise<void> {
  const { response, gone } = exchange;
  switch (fault?.kind) {
    case undefined:
      return await sendPieces(
        answer,
        [...answer.chunks, { ...headOf(answer), ...answer.final }],
        exchange,
        true,
      );
    case 'status':
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      return sendJson(response, fault.status, fault.body ?? { error: `scripted error ${fault.status}` });
    case 'reset':
      return cut(exchange);
    case 'silent':
      return await waitForAbort(gone);
    case 'hold':
      await waitForRelease(exchange);
      return await deliver(answer, undefined, exchange);
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(fault.body);
      return;
    case 'huge':
      return await sendHuge(answer, fault.sizeBytes, exchange);
    case 'stall':
    case 'cut':
    case 'no_done':
    case 'error_line':
      return await sendBroken(answer, fault, exchange);
  }
}

async function sendBroken(
  answer: Answer,
  fault: Extract<Fault, { afterChunks: number }>,
  exchange: Exchange,
): Promise<void> {
  const { response, gone } = exchange;
  await sendPieces(answer, answer.chunks.slice(0, fault.afterChunks), exchange, false);
  if (fault.kind === 'stall') return await waitForAbort(gone);
  if (fault.kind === 'cut') {
    // One event-loop turn, so that written data reaches the wire before the connection closes.
    await new Promise((resolve) => setImmediate(resolve));
    return cut(exchange);
  }
  if (fault.kind === 'error_line') response.write(`${JSON.stringify({ error: fault.error })}\n`);
  response.end();
}

/** Sends pieces as lines of a stream; without streaming, the object, or half of it if incomplete. */
async function sendPieces(answer: Answer, pieces: object[], exchange: Exchange, complete: boolean) {
  const { response, gone } = exchange;
  if (!answer.stream) {
    if (complete) return sendJson(response, 200, { ...answer.whole, ...answer.final });
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    const text = JSON.stringify({ ...answer.whole, done: false });
    response.write(pieces.length < answer.chunks.length ? text.slice(0, text.length / 2) : text);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for (const piece of pieces) {
    if (gone.aborted) return;
    await write(`${JSON.stringify(piece)}\n`, exchange);
  }
  if (!complete || answer.streamEnd === 'never') return;
  if (answer.streamEnd === 'later') await pause(LATER_MS, gone);
  response.end();
}

async function sendHuge(answer: Answer, sizeBytes: number, exchange: Exchange): Promise<void> {
  const { response, gone } = exchange;
  response.writeHead(200, { 'content-type': 'application/json' });
  const [before = '', after = ''] = JSON.stringify({
    ...headOf(answer),
    message: { role: 'assistant', content: '@' },
    ...(answer.stream ? { done: false } : answer.final),
  }).split('@');
  if (!answer.stream) await write(before, exchange);
  for (let sent = 0; sent < sizeBytes && !gone.aborted; sent += HUGE_PIECE_BYTES) {
    const text = 'x'.repeat(Math.min(HUGE_PIECE_BYTES, sizeBytes - sent));
    await write(answer.stream ? `${before}${text}${after}\n` : text, exchange);
  }
  response.end(answer.stream ? `${JSON.stringify({ ...headOf(answer), ...answer.final })}\n` : after);
}

/** Waits until the client has read, so that a huge answer does not fill memory. */
async function write(text: string, { response, gone }: Exchange): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await once(response, 'drain', { signal: gone }).catch(() => undefined);
}

function cut(exchange: Exchange): void {
  exchange.cutByServer = true;
  exchange.response.destroy();
}

/** Waits for the scenario's `release`, or until the client disconnects. */
export async function waitForRelease({ released, gone }: Exchange): Promise<void> {
  await Promise.race([waitForAbort(released), waitForAbort(gone)]);
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Returns the last piece of a stream without counts: a message without text. */
const headOf = (answer: Answer): object => ({
  ...answer.whole,
  message: { role: 'assistant', content: '' },
});
