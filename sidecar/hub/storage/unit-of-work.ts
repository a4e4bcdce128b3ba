/**
 * One change of the hub's state: rows, the events that tell of it and the messages to other parts (and other
 * replicas) belong to one transaction. Nobody hears of anything that is not on disk, and readers hear it in
 * the order of sequence numbers.
 */
import { sql } from 'kysely';
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
/** Changes that share one commit, and so one wait for the disk. */
const MAX_GROUP = 128;

type Work<T> = (unit: UnitOfWork) => Promise<T>;
interface Waiting {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
/** What one change wants stored and told, once it is certain. */
interface Staged {
  events: Omit<NewEventRow, 'id'>[];
  messages: HubMessage[];
}

export class HubStore {
  readonly database: HubDatabase;
  readonly #feed: CommitFeed;
  #waiting: Waiting[] = [];
  #committing = false;
  #onCommit: (events: readonly EventRow[]) => void = () => undefined;

  constructor(database: HubDatabase, feed: CommitFeed) {
    this.database = database;
    this.#feed = feed;
  }

  get db() {
    return this.database.db;
  }

  /** Tells `listener` of the events that this hub itself has committed; the feed tells of its replicas' too. Must not throw. */
  onCommit(listener: (events: readonly EventRow[]) => void): void {
    this.#onCommit = listener;
  }

  /**
   * Resolves when the change is on disk; rejects, with nothing of it changed or published, when the database or
   * `work` does. SQLite has one writer: changes that come while it is busy share the next commit, in their order.
   */
  run<T>(work: Work<T>): Promise<T> {
    if (this.database.kind !== 'sqlite') return this.#commitAlone(work);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Waiting['resolve'], reject });
      if (this.#committing) return;
      this.#committing = true;
      // After the input of this turn of the event loop, so that what came together is committed together.
      setImmediate(() => void this.#commitWaiting());
    });
  }

  /** Never rejects: each change hears of its own failure. */
  async #commitWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      try {
        await this.#commitGroup(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#committing = false;
  }

  async #commitGroup(group: Waiting[]): Promise<void> {
    const staged: Staged = { events: [], messages: [] };
    const settled: (() => void)[] = [];
    const stored = await this.database.transaction(async (trx) => {
      for (const { work, resolve, reject } of group) {
        const outcome = await attempt(trx, work);
        if (!outcome.ok) {
          settled.push(() => reject(outcome.error));
          continue;
        }
        staged.events.push(...outcome.staged.events);
        staged.messages.push(...outcome.staged.messages);
        settled.push(() => resolve(outcome.value));
      }
      return this.#insert(trx, staged.events);
    });
    this.#onCommit(stored);
    this.#feed.afterCommit?.(stored, staged.messages);
    for (const settle of settled) settle();
  }

  async #commitAlone<T>(work: Work<T>): Promise<T> {
    const staged: Staged = { events: [], messages: [] };
    const { value, stored } = await this.database.transaction(async (trx) => {
      const value = await work(unitOn(trx, staged));
      const stored = await this.#insert(trx, staged.events);
      await this.#feed.beforeCommit?.(trx, stored, staged.messages);
      return { value, stored };
    });
    this.#onCommit(stored);
    this.#feed.afterCommit?.(stored, staged.messages);
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

const unitOn = (trx: HubTransaction, staged: Staged): UnitOfWork => ({
  trx,
  record: (event) => staged.events.push(event),
  announce: (message) => staged.messages.push(message),
});

/** One change inside a shared transaction: a failure takes back this change alone. */
async function attempt<T>(
  trx: HubTransaction,
  work: Work<T>,
): Promise<{ ok: true; value: T; staged: Staged } | { ok: false; error: unknown }> {
  const staged: Staged = { events: [], messages: [] };
  await sql`SAVEPOINT change`.execute(trx);
  try {
    const value = await work(unitOn(trx, staged));
    await sql`RELEASE change`.execute(trx);
    return { ok: true, value, staged };
  } catch (error) {
    await sql`ROLLBACK TO change`.execute(trx);
    await sql`RELEASE change`.execute(trx);
    return { ok: false, error };
  }
}
