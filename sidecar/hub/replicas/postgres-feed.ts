/**
 * Passes commits between replicas through PostgreSQL. Messages are sent by NOTIFY inside the transaction; events are
 * read back in the order of their sequence numbers, so that every replica publishes the same sequence. A lost listener
 * reconnects and reads missed events from the tables; missed messages are lost, which `onGap` reports. A regular query
 * detects a dead connection.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import PQueue from 'p-queue';
import type { Client } from 'pg';
import * as z from 'zod';
import { parseJson } from '../../base/values/json.ts';
import type { Clock, Logger } from '../../base/ports.ts';
import type { HubDatabase, HubTransaction } from '../storage/hub-database.ts';
import type { EventRow } from '../storage/tables.ts';
import type { CommitFeed, FeedListener, HubMessage } from '../storage/unit-of-work.ts';

const CHANNEL = 'ollama_sidecar_hub';
/** Maximum size of a notification's payload: PostgreSQL requires less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_500;
const EVENTS_PER_READ = 2_000;
const RECONNECT_MS = 1_000;
/** Interval of the query that tests the listener's connection. */
const PROBE_MS = 30_000;
/** Timeout of the query that tests the listener's connection. */
const ANSWER_TIMEOUT_MS = 10_000;

const payloadSchema = z.object({
  from: z.string(),
  events: z.boolean(),
  messages: z.array(z.looseObject({ kind: z.string() })),
});

interface PostgresFeedOptions {
  database: HubDatabase;
  address: string;
  clock: Clock;
  logger: Logger;
}

export class PostgresFeed implements CommitFeed {
  readonly #options: PostgresFeedOptions;
  readonly #feedId = randomUUID();
  readonly #reads = new PQueue({ concurrency: 1 });
  #listener: FeedListener | undefined;
  #client: Client | undefined;
  #closed = false;
  #cancelReconnect: () => void = () => undefined;
  #cancelProbe: () => void = () => undefined;
  #publishedId = 0;

  constructor(options: PostgresFeedOptions) {
    this.#options = options;
  }

  /** Starts to listen. Rejects if the database fails. */
  async listen(listener: FeedListener): Promise<void> {
    this.#listener = listener;
    await this.#connect();
    const { rows } = await sql<{ id: number }>`SELECT COALESCE(MAX(id), 0) AS id FROM events`.execute(
      this.#options.database.db,
    );
    this.#publishedId = rows[0]?.id ?? 0;
  }

  async beforeCommit(trx: HubTransaction, events: EventRow[], messages: HubMessage[]): Promise<void> {
    if (events.length === 0 && messages.length === 0) return;
    for (const payload of this.#createPayloads(events.length > 0, messages)) {
      await sql`SELECT pg_notify(${CHANNEL}, ${payload})`.execute(trx);
    }
  }

  afterCommit(events: EventRow[], messages: HubMessage[]): void {
    if (events.length > 0) this.#publish();
    for (const message of messages) this.#listener?.onMessage(message);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelReconnect();
    this.#cancelProbe();
    await this.#reads.onIdle();
    await this.#client?.end().catch(() => undefined);
  }

  #createPayloads(events: boolean, messages: HubMessage[]): string[] {
    const payloads: string[] = [];
    let pending: HubMessage[] = [];
    const formatPayload = (list: HubMessage[]) =>
      JSON.stringify({ from: this.#feedId, events, messages: list });
    for (const message of removeDuplicates(messages)) {
      if (pending.length > 0 && Buffer.byteLength(formatPayload([...pending, message])) > MAX_PAYLOAD_BYTES) {
        payloads.push(formatPayload(pending));
        pending = [];
      }
      pending.push(message);
    }
    return [...payloads, formatPayload(pending)];
  }

  async #connect(): Promise<void> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.#options.address,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    client.on('notification', ({ payload }) => this.#onNotification(payload ?? ''));
    client.on('error', (error) => this.#onLost(client, error));
    client.on('end', () => this.#onLost(client));
    const end = () => client.end().catch(() => undefined);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      void end();
      throw error;
    }
    if (this.#closed) {
      await end();
      return;
    }
    this.#client = client;
    this.#scheduleProbe(client);
  }

  #scheduleProbe(client: Client): void {
    this.#cancelProbe = this.#options.clock.schedule(PROBE_MS, () => {
      client.query('SELECT 1').then(
        () => this.#client === client && !this.#closed && this.#scheduleProbe(client),
        (error: unknown) => {
          this.#onLost(client, error);
          client.end().catch(() => undefined);
        },
      );
    });
  }

  #onLost(client: Client, error?: unknown): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    this.#cancelProbe();
    this.#options.logger.warn({ err: error }, 'the database listener was disconnected, reconnecting');
    this.#scheduleReconnect();
  }

  #scheduleReconnect(): void {
    this.#cancelReconnect();
    this.#cancelReconnect = this.#options.clock.schedule(RECONNECT_MS, () => {
      this.#connect().then(
        () => {
          this.#publish();
          this.#listener?.onGap();
          this.#listener?.onMessage({ kind: 'due', atMs: this.#options.clock.now() });
        },
        (error: unknown) => {
          this.#options.logger.warn({ err: error }, 'the database listener cannot connect, trying again');
          if (!this.#closed) this.#scheduleReconnect();
        },
      );
    });
  }

  #onNotification(payload: string): void {
    const parsed = payloadSchema.safeParse(parseJson(payload));
    if (!parsed.success || parsed.data.from === this.#feedId) return;
    if (parsed.data.events) this.#publish();
    for (const message of parsed.data.messages) this.#listener?.onMessage(message as HubMessage);
  }

  /** Starts to read and publish new events; a call during a read causes one more read. */
  #publish(): void {
    if (!this.#closed && this.#reads.size === 0) void this.#reads.add(() => this.#publishNew());
  }

  /** Publishes all events after the last published one. Never rejects. */
  async #publishNew(): Promise<void> {
    try {
      let rows: EventRow[];
      do {
        rows = await this.#options.database.db
          .selectFrom('events')
          .selectAll()
          .where('id', '>', this.#publishedId)
          .orderBy('id')
          .limit(EVENTS_PER_READ)
          .execute();
        this.#publishedId = rows.at(-1)?.id ?? this.#publishedId;
        this.#listener?.onEvents(rows);
      } while (rows.length === EVENTS_PER_READ);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'new events could not be read');
    }
  }
}

function removeDuplicates(messages: HubMessage[]): HubMessage[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}
