/**
 * One change of the hub's state: rows, the events that tell of it and the messages to other parts (and other
 * replicas) belong to one transaction. Nobody hears of anything that is not on disk, and readers hear it in
 * the order of sequence numbers.
 */
import { lockEventOrder } from './open.ts';
import type { HubDatabase, HubTransaction } from './open.ts';
import type { EventRow, NewEventRow } from './tables.ts';

/** What parts of a hub, or its replicas, tell each other. Texts stay in the database: these are only pointers. */
export type HubMessage =
  /** Something may be assigned now. */
  | { kind: 'queue' }
  /** A lease, a backoff, a first go or a delay ends at `atMs`. */
  | { kind: 'due'; atMs: number }
  | { kind: 'cancelled'; taskId: string; agentId: string; reason?: string }
  | { kind: 'steer'; taskId: string; agentId: string }
  | { kind: 'approval'; taskId: string; approvalId: string; agentId: string }
  | { kind: 'drain'; agentId: string; draining: boolean; reason?: string }
  | { kind: 'replaced'; agentId: string; sessionId: string }
  | { kind: 'worker'; agentId: string };

export interface UnitOfWork {
  readonly trx: HubTransaction;
  /** Stores an event with this change; it is published after the commit. */
  record(event: Omit<NewEventRow, 'id'>): void;
  /** Sent after the commit; dropped when the transaction is. */
  announce(message: HubMessage): void;
}

export interface FeedListener {
  /** Committed events in the order of their sequence numbers; each once. Must not throw. */
  onEvents(events: readonly EventRow[]): void;
  /** Must not throw. */
  onMessage(message: HubMessage): void;
}

/** Carries what was committed to the rest of the hub; in one process, or through PostgreSQL to all replicas. */
export interface CommitFeed {
  /** Called once, before the first commit that anybody is to hear of. */
  listen(listener: FeedListener): Promise<void>;
  close(): Promise<void>;
  /** Inside the transaction, as its last step. */
  beforeCommit?(trx: HubTransaction, events: EventRow[], messages: HubMessage[]): Promise<void>;
  /** After the commit, in its order. Never throws. */
  afterCommit?(events: EventRow[], messages: HubMessage[]): void;
}

/** Rows per INSERT: PostgreSQL and SQLite both bound the number of parameters. */
const ROWS_PER_INSERT = 1000;

export class HubStore {
  readonly database: HubDatabase;
  readonly #feed: CommitFeed;
  /** SQLite has one writer: waiting here instead of in the driver keeps publishing in the order of commits. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: HubDatabase, feed: CommitFeed) {
    this.database = database;
    this.#feed = feed;
  }

  get db() {
    return this.database.db;
  }

  /** Rejects, with nothing changed and nothing published, when the database or `work` does. */
  run<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    if (this.database.kind !== 'sqlite') return this.#commit(work);
    const turn = this.#last.then(() => this.#commit(work));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #commit<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const events: Omit<NewEventRow, 'id'>[] = [];
    const messages: HubMessage[] = [];
    const { value, stored } = await this.database.transaction(async (trx) => {
      const value = await work({
        trx,
        record: (event) => events.push(event),
        announce: (message) => messages.push(message),
      });
      const stored = await this.#insert(trx, events);
      await this.#feed.beforeCommit?.(trx, stored, messages);
      return { value, stored };
    });
    this.#feed.afterCommit?.(stored, messages);
    return value;
  }

  async #insert(trx: HubTransaction, events: Omit<NewEventRow, 'id'>[]): Promise<EventRow[]> {
    if (events.length === 0) return [];
    await lockEventOrder(this.database.kind, trx);
    const stored: EventRow[] = [];
    for (let start = 0; start < events.length; start += ROWS_PER_INSERT) {
      const rows = events.slice(start, start + ROWS_PER_INSERT);
      const inserted = await trx.insertInto('events').values(rows).returning('id').execute();
      const ids = inserted.map(({ id }) => id).sort((a, b) => a - b);
      rows.forEach((row, index) => stored.push({ ...row, id: ids[index] ?? 0 }));
    }
    return stored;
  }
}
