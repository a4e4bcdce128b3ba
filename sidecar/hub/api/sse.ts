/**
 * Server-Sent Events: the stored events after a sequence number, then live ones, without gaps or duplicates. Live
 * events are collected before the history is read and sent after it.
 */
import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runEvery } from '../../base/system/clock.ts';
import { isStateEvent } from '../storage/conditions.ts';
import type { EventRow } from '../storage/tables.ts';
import { formatEventText } from '../stream/broadcaster.ts';
import type { StreamScope } from '../stream/broadcaster.ts';
import type { Identity } from './authenticator.ts';
import type { ApiContext } from './context.ts';
import { ProblemError } from './problem.ts';
import { onAbort } from '../../base/system/on-abort.ts';

const MEDIA_TYPE = 'text/event-stream; charset=utf-8';
/** Number of events per read of the history. */
const PAGE_SIZE = 2_000;
const MAX_STREAMS = 1_000;
/** Unsent bytes at which a slow reader is disconnected; the reader can resume with `after`. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Interval of comment lines, which stop proxies from closing a quiet stream. */
const KEEP_ALIVE_MS = 15_000;

interface StreamRequest {
  scope: StreamScope;
  /** Sequence number after which the stream starts. If undefined or too high, only new events are sent. */
  after: number | undefined;
  /** Identity of the reader; the stream ends when the reader's token expires or is revoked. */
  identity: Identity;
}

/** Answers a request with a stream of events. Resolves when the stream has ended. */
export async function streamEvents(
  context: ApiContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { scope, after, identity }: StreamRequest,
): Promise<void> {
  if (context.broadcaster.readerCount >= MAX_STREAMS) {
    throw new ProblemError(
      'hub_too_many_streams',
      'Close other dashboards, or read events as JSON pages instead.',
    );
  }
  if (request.method === 'HEAD') {
    void reply.type(MEDIA_TYPE).send('');
    return;
  }
  // After the restore of a backup, a reader may send a number that is not used yet; the reader then gets only new
  // events.
  const lastId = await readLastEventId(context);
  const start = Math.min(after ?? lastId, lastId);
  reply.hijack();
  const stream = new EventStream(context, reply, scope, start);
  request.raw.once('close', () => stream.end());
  const unlisten = onAbort(context.closing, () => stream.end());
  const stopTokenWatch = context.authenticator.watchExpiry(identity, () => stream.end());
  // The reader may have left while the database was read.
  if (request.raw.socket.destroyed) stream.end();
  try {
    await stream.sendHistory();
    await stream.ended;
  } finally {
    stream.end();
    stopTokenWatch();
    unlisten();
  }
}

class EventStream {
  readonly #closed = new AbortController();
  readonly ended = once(this.#closed.signal, 'abort');
  readonly #context: ApiContext;
  readonly #reply: FastifyReply;
  readonly #scope: StreamScope;
  readonly #unsubscribe: () => void;
  readonly #cancelKeepAlive: () => void;
  #lastSentId: number;
  /** Live text that waits until the history is sent; undefined afterwards. */
  #pending: { text: string; lastId: number | undefined }[] | undefined = [];
  #pendingChars = 0;

  constructor(context: ApiContext, reply: FastifyReply, scope: StreamScope, after: number) {
    this.#context = context;
    this.#reply = reply;
    this.#scope = scope;
    this.#lastSentId = after;
    reply.raw.writeHead(200, {
      'content-type': MEDIA_TYPE,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    reply.raw.on('error', () => this.end());
    reply.raw.write('retry: 1000\n\n');
    this.#unsubscribe = context.broadcaster.add({
      scope,
      write: (text, lastId) => this.#sendLive(text, lastId),
    });
    this.#cancelKeepAlive = runEvery(context.clock, KEEP_ALIVE_MS, () => reply.raw.write(': still here\n\n'));
  }

  /** Sends the history, then the collected live events. */
  async sendHistory(): Promise<void> {
    for (;;) {
      const rows = await readEvents(this.#context, this.#scope, this.#lastSentId, PAGE_SIZE);
      if (this.#reply.raw.destroyed) return;
      const last = rows.at(-1);
      if (!last) break;
      this.#lastSentId = last.id;
      this.#context.broadcaster.addSentEvents(rows.length);
      if (!this.#reply.raw.write(rows.map(formatEventText).join(''))) await this.#waitForDrain();
      if (rows.length < PAGE_SIZE) break;
    }
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const { text, lastId } of pending) this.#sendLive(text, lastId);
  }

  /** Resolves when the reader has received everything, or has disconnected. */
  async #waitForDrain(): Promise<void> {
    await once(this.#reply.raw, 'drain', { signal: this.#closed.signal }).catch(() => undefined);
  }

  end(): void {
    this.#unsubscribe();
    this.#cancelKeepAlive();
    this.#reply.raw.end();
    this.#closed.abort();
  }

  #sendLive(text: string, lastId: number | undefined): void {
    if (this.#pending) {
      this.#pending.push({ text, lastId });
      this.#pendingChars += text.length;
      if (this.#pendingChars > MAX_BUFFERED_BYTES) this.#disconnect();
      return;
    }
    const unsent = lastId === undefined ? text : this.#takeUnsentEvents(text, lastId);
    if (unsent === '') return;
    this.#reply.raw.write(unsent);
    if (this.#reply.raw.writableLength > MAX_BUFFERED_BYTES) this.#disconnect();
  }

  #disconnect(): void {
    this.#context.logger.warn({}, 'an event stream was closed because its client read too slowly');
    this.#reply.raw.destroy();
    this.end();
  }

  /** Returns the events of a live batch that the history did not contain. */
  #takeUnsentEvents(text: string, lastId: number): string {
    if (lastId <= this.#lastSentId) return '';
    const firstId = Number(/^id: (\d+)/.exec(text)?.[1]);
    const previousId = this.#lastSentId;
    this.#lastSentId = lastId;
    if (firstId > previousId) return text;
    return text
      .split(/(?<=\n\n)/)
      .filter((one) => Number(/^id: (\d+)/.exec(one)?.[1]) > previousId)
      .join('');
  }
}

/** Reads stored events in the scope after a sequence number, oldest first. */
export async function readEvents(
  { store: { db } }: ApiContext,
  { taskId, stateOfAll }: StreamScope,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  const events = db.selectFrom('events').selectAll().where('id', '>', after);
  const taskEvents = taskId === undefined ? events : events.where('task_id', '=', taskId);
  const stateEvents = events.where(isStateEvent);
  // One statement reads both kinds: between two statements, events would be missed.
  const combinedEvents =
    taskId === undefined ? stateEvents : stateEvents.unionAll(taskEvents.where('kind', '=', 'execution'));
  return (stateOfAll ? combinedEvents : taskEvents).orderBy('id').limit(limit).execute();
}

export const readEvent = (
  { store: { db } }: ApiContext,
  { taskId, eventId }: { taskId: string; eventId: number },
): Promise<EventRow | undefined> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('id', '=', eventId)
    .where('task_id', '=', taskId)
    .executeTakeFirst();

export async function readLastEventId(context: ApiContext): Promise<number> {
  const row = await context.store.db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  return row?.id ?? 0;
}
