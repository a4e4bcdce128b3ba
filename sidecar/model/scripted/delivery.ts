/**
 * Sends an answer over HTTP, whole or in pieces, with the scenario's faults. Every wait ends if the client disconnects
 * (`closeSignal`).
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, StreamEnd } from './scenario.ts';

export interface ScriptedAnswer {
  /** Pieces of a stream, without the last one. */
  chunks: object[];
  /** The single object of an answer without streaming. */
  whole: object;
  /** The fields that complete the answer. */
  finalFields: object;
  stream: boolean;
  /** The end of a stream without faults. */
  streamEnd: StreamEnd;
}

/** Delay between the last line and the end of a stream if `streamEnd` is `later`; Ollama 0.24 took 0.6 to 1.7 ms. */
const STREAM_END_DELAY_MS = 1;

/** The connection of one request, and the signals that end it. */
export interface HttpExchange {
  response: ServerResponse;
  /** Aborted when the connection or the server is closed. */
  closeSignal: AbortSignal;
  /** Aborted when the scenario's `hold` is released. */
  releaseSignal: AbortSignal;
  /** Whether a fault closed the connection from this side. */
  isCutByServer: boolean;
}

const HUGE_PIECE_BYTES = 64 * 1024;

/** Waits; ends early without an error if the client disconnects. */
export async function pause(delayMs: number, closeSignal: AbortSignal): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { signal: closeSignal }).catch(() => undefined);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends `answer` or its `fault`. Resolves when nothing more will be sent. */
export async function deliverAnswer(
  answer: ScriptedAnswer,
  fault: Fault | undefined,
  exchange: HttpExchange,
): Promise<void> {
  const { response, closeSignal } = exchange;
  switch (fault?.kind) {
    case undefined:
      return await sendPieces(
        answer,
        [...answer.chunks, { ...emptyMessageOf(answer), ...answer.finalFields }],
        exchange,
        true,
      );
    case 'status':
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      return sendJson(response, fault.status, fault.body ?? { error: `scripted error ${fault.status}` });
    case 'reset':
      return closeConnection(exchange);
    case 'silent':
      return await waitForAbort(closeSignal);
    case 'hold':
      await waitForRelease(exchange);
      return await deliverAnswer(answer, undefined, exchange);
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
      return await sendBrokenAnswer(answer, fault, exchange);
  }
}

async function sendBrokenAnswer(
  answer: ScriptedAnswer,
  fault: Extract<Fault, { afterChunks: number }>,
  exchange: HttpExchange,
): Promise<void> {
  const { response, closeSignal } = exchange;
  await sendPieces(answer, answer.chunks.slice(0, fault.afterChunks), exchange, false);
  if (fault.kind === 'stall') return await waitForAbort(closeSignal);
  if (fault.kind === 'cut') {
    // Waits one event-loop turn, so that written data is sent before the connection closes.
    await new Promise((resolve) => setImmediate(resolve));
    return closeConnection(exchange);
  }
  if (fault.kind === 'error_line') response.write(`${JSON.stringify({ error: fault.error })}\n`);
  response.end();
}

/** Sends pieces as lines of a stream; without streaming, the object, or half of it if incomplete. */
async function sendPieces(
  answer: ScriptedAnswer,
  pieces: object[],
  exchange: HttpExchange,
  isComplete: boolean,
) {
  const { response, closeSignal } = exchange;
  if (!answer.stream) {
    if (isComplete) return sendJson(response, 200, { ...answer.whole, ...answer.finalFields });
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    const text = JSON.stringify({ ...answer.whole, done: false });
    response.write(pieces.length < answer.chunks.length ? text.slice(0, text.length / 2) : text);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for (const piece of pieces) {
    if (closeSignal.aborted) return;
    await writeText(`${JSON.stringify(piece)}\n`, exchange);
  }
  if (!isComplete || answer.streamEnd === 'never') return;
  if (answer.streamEnd === 'later') await pause(STREAM_END_DELAY_MS, closeSignal);
  response.end();
}

async function sendHuge(answer: ScriptedAnswer, sizeBytes: number, exchange: HttpExchange): Promise<void> {
  const { response, closeSignal } = exchange;
  response.writeHead(200, { 'content-type': 'application/json' });
  const [before = '', after = ''] = JSON.stringify({
    ...emptyMessageOf(answer),
    message: { role: 'assistant', content: '@' },
    ...(answer.stream ? { done: false } : answer.finalFields),
  }).split('@');
  if (!answer.stream) await writeText(before, exchange);
  for (let sentBytes = 0; sentBytes < sizeBytes && !closeSignal.aborted; sentBytes += HUGE_PIECE_BYTES) {
    const text = 'x'.repeat(Math.min(HUGE_PIECE_BYTES, sizeBytes - sentBytes));
    await writeText(answer.stream ? `${before}${text}${after}\n` : text, exchange);
  }
  response.end(
    answer.stream ? `${JSON.stringify({ ...emptyMessageOf(answer), ...answer.finalFields })}\n` : after,
  );
}

/** Waits until the client has read, so that a huge answer does not fill memory. */
async function writeText(text: string, { response, closeSignal }: HttpExchange): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await once(response, 'drain', { signal: closeSignal }).catch(() => undefined);
}

function closeConnection(exchange: HttpExchange): void {
  exchange.isCutByServer = true;
  exchange.response.destroy();
}

/** Waits for the scenario's `release`, or until the client disconnects. */
export async function waitForRelease({ releaseSignal, closeSignal }: HttpExchange): Promise<void> {
  await Promise.race([waitForAbort(releaseSignal), waitForAbort(closeSignal)]);
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Returns the last piece of a stream in a form without counts: an empty message. */
const emptyMessageOf = (answer: ScriptedAnswer): object => ({
  ...answer.whole,
  message: { role: 'assistant', content: '' },
});
