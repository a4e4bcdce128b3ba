/**
 * One change of the hub's state: rows, events, and messages to other parts and replicas belong to one transaction.
 * Nothing is published before it is on disk, and readers get it in the order of sequence numbers.
 */
import { CompiledQuery } from 'kysely';
import { countFigures } from './count-figures.ts';
import type { DatabaseKind, HubDatabase, HubTransaction } from './hub-database.ts';
import { errorCode } from '../../base/values/errors.ts';
import type { EventRow, FigureRow, NewEventRow } from './tables.ts';
import { lockEventOrder } from './open.ts';

/** Messages between parts of a hub or its replicas. The messages refer to texts in the database but contain none. */
export type HubMessage =
  /** A task or a worker may have become ready for assignment. */
  | { kind: 'queue' }
  /** A lease, a backoff, a worker's preference or a delay ends at `atMs`. */
  | { kind: 'due'; atMs: number }
  | { kind: 'cancelled'; taskId: string; agentId: string; reason?: string }
  | { kind: 'steer'; taskId: string; agentId: string }
  | { kind: 'approval'; taskId: string; approvalId: string; agentId: string }
  | { kind: 'drain'; agentId: string; draining: boolean; reason?: string }
  | { kind: 'replaced'; agentId: string; sessionId: string }
  | { kind: 'worker'; agentId: string }
  | { kind: 'report' }
  | { kind: 'token_revoked'; id: string };

export interface UnitOfWork {
  readonly trx: HubTransaction;
  readonly kind: DatabaseKind;
  /** Stores an event in the transaction of this change and publishes it after the commit. */
  record(event: NewEvent): void;
  /** Adds to the overview's sums in the transaction of this change. */
  count(figure: FigureRow): void;
  /** Stores a report of an ended task for each webhook in the transaction of this change. */
  report(report: EndReport): void;
  /** Sends a message after the commit; sends nothing if the transaction fails. */
  announce(message: HubMessage): void;
}

interface EndReport {
  taskId: string;
  at: number;
  body: string;
}

export interface FeedListener {
  /** Receives committed events once each, in the order of their sequence numbers. Must not throw. */
  onEvents(events: readonly EventRow[]): void;
  /** Receives a message of another part or replica. Must not throw. */
  onMessage(message: HubMessage): void;
  /** Reports that messages of other replicas may have been missed. Must not throw. */
  onGap(): void;
}

/** Passes commits to the rest of the hub: in one process, or through PostgreSQL to all replicas. */
export interface CommitFeed {
  /** Starts to pass commits to `listener`; called once, before the first commit. */
  listen(listener: FeedListener): Promise<void>;
  close(): Promise<void>;
  /** Runs inside the transaction of a commit, as its last step. */
  beforeCommit?(trx: HubTransaction, events: EventRow[], messages: HubMessage[]): Promise<void>;
  /** Runs after the commit, in the order of commits. Never throws. */
  afterCommit(events: EventRow[], messages: HubMessage[]): void;
}

/** Maximum number of changes in one commit, and so in one wait for the disk. */
const MAX_CHANGES_PER_COMMIT = 128;

type CommitListener = (events: readonly EventRow[], figures: readonly FigureRow[]) => void;
type UnitWork<T> = (unit: UnitOfWork) => Promise<T>;
interface QueuedWork {
  work: UnitWork<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
/** Rows and messages of a group of changes until its commit. */
interface StagedRows {
  events: NewEvent[];
  figures: FigureRow[];
  reports: EndReport[];
  messages: HubMessage[];
}

/** How long the disk counts as full after a refused change. */
const DISK_FULL_MS = 30_000;

/** Recognizes a full disk by the error codes of SQLite, the system and PostgreSQL. */
export const isDiskFull = (error: unknown): boolean =>
  /^(?:SQLITE_FULL|ENOSPC|EDQUOT|53100$)/.test(errorCode(error) ?? '');

export class HubStore {
  readonly database: HubDatabase;
  readonly #feed: CommitFeed;
  #queuedWork: QueuedWork[] = [];
  #isCommitting = false;
  #diskFullUntilMs = 0;
  #onCommit: CommitListener = () => undefined;
  /** Addresses of the webhooks that get a report of each ended task. */
  readonly #reportUrls: readonly string[];

  constructor(database: HubDatabase, feed: CommitFeed, reportUrls: readonly string[] = []) {
    this.database = database;
    this.#feed = feed;
    this.#reportUrls = reportUrls;
  }

  get db() {
    return this.database.db;
  }

  /** True if the database recently refused a change because its disk is full. */
  get hasFullDisk(): boolean {
    return performance.now() < this.#diskFullUntilMs;
  }

  /** True if no change is being written or waits to be written. */
  get isIdle(): boolean {
    return !this.#isCommitting;
  }

  /** Calls `listener` with the events and figures that this hub itself commits, not its replicas. Must not throw. */
  onCommit(listener: CommitListener): void {
    this.#onCommit = listener;
  }

  /**
   * Runs a change. Resolves when the change is on disk; rejects, with nothing changed or published, if the database or
   * `work` fails. Changes that arrive during a write share the next commit, in order. `work` may run again if another
   * change of its commit failed, so it must affect nothing but the unit.
   */
  run<T>(work: UnitWork<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queuedWork.push({ work, resolve: resolve as QueuedWork['resolve'], reject });
      if (this.#isCommitting) return;
      this.#isCommitting = true;
      // Commits after this turn of the event loop, so that simultaneous changes share a commit.
      setImmediate(() => void this.#commitWaiting());
    });
  }

  /** Commits all waiting changes. Never rejects: each change gets its own error. */
  async #commitWaiting(): Promise<void> {
    while (this.#queuedWork.length > 0) {
      const group = this.#queuedWork.splice(0, MAX_CHANGES_PER_COMMIT);
      try {
        await this.#commitGroup(group);
      } catch (error) {
        // A listener threw, which is a bug: the callers get the error, and the next changes are still written.
        for (const { reject } of group) reject(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isCommitting = false;
  }

  async #storeReports(trx: HubTransaction, { reports, messages }: StagedRows): Promise<void> {
    const rows = reports.flatMap(({ taskId, at, body }) =>
      this.#reportUrls.map((url) => ({
        task_id: taskId,
        url,
        body,
        created_at: at,
        attempts: 0,
        next_at: at,
      })),
    );
    if (rows.length === 0) return;
    await trx.insertInto('reports').values(rows).execute();
    messages.push({ kind: 'report' });
  }

  async #commitGroup(group: readonly QueuedWork[]): Promise<void> {
    const stagedRows: StagedRows = { events: [], figures: [], reports: [], messages: [] };
    const values: unknown[] = [];
    let storedEvents: EventRow[] = [];
    let isInCommit = false;
    try {
      await this.database.transaction(async (trx) => {
        const unit = createUnitOfWork(trx, this.database.kind, stagedRows);
        for (const { work } of group) values.push(await work(unit));
        await countFigures(trx, stagedRows.figures);
        await this.#storeReports(trx, stagedRows);
        storedEvents = await insertEvents(this.database.kind, trx, stagedRows.events);
        await this.#feed.beforeCommit?.(trx, storedEvents, stagedRows.messages);
        isInCommit = true;
      });
    } catch (error) {
      if (isDiskFull(error)) this.#diskFullUntilMs = performance.now() + DISK_FULL_MS;
      // A failed commit may have been executed after all, so it is not repeated.
      if (group.length === 1 || isInCommit) for (const { reject } of group) reject(error);
      else for (const one of group) await this.#commitGroup([one]);
      return;
    }
    this.#diskFullUntilMs = 0;
    this.#onCommit(storedEvents, stagedRows.figures);
    this.#feed.afterCommit(storedEvents, stagedRows.messages);
    group.forEach(({ resolve }, index) => resolve(values[index]));
  }
}

const createUnitOfWork = (trx: HubTransaction, kind: DatabaseKind, staged: StagedRows): UnitOfWork => ({
  trx,
  kind,
  record: (event) => staged.events.push(event),
  count: (figure) => staged.figures.push(figure),
  report: (report) => staged.reports.push(report),
  announce: (message) => staged.messages.push(message),
});

type NewEvent = Omit<NewEventRow, 'id'>;

const eventColumns = ['task_id', 'at', 'generation', 'kind', 'body'] as const satisfies (keyof NewEvent)[];
/** Maximum rows per statement: both databases limit the number of parameters. */
const MAX_ROWS_PER_INSERT = 512;
const insertStatements = new Map<string, string>();

/** Inserts events and returns them with their sequence numbers, in order. Takes the last lock of the transaction. */
async function insertEvents(
  kind: DatabaseKind,
  trx: HubTransaction,
  events: readonly NewEvent[],
): Promise<EventRow[]> {
  if (events.length === 0) return [];
  await lockEventOrder(kind, trx);
  const storedEvents: EventRow[] = [];
  while (storedEvents.length < events.length) {
    const rows = events.slice(
      storedEvents.length,
      storedEvents.length + chooseBatchSize(kind, events.length - storedEvents.length),
    );
    const values = rows.flatMap((row) => eventColumns.map((column) => row[column]));
    const inserted = await trx.executeQuery<{ id: number }>(
      CompiledQuery.raw(createInsertStatement(kind, rows.length), values),
    );
    const ids = inserted.rows.map(({ id }) => id).sort((a, b) => a - b);
    rows.forEach((row, index) => storedEvents.push({ ...row, id: ids[index] ?? 0 }));
  }
  return storedEvents;
}

/**
 * Returns the number of rows of the next statement: powers of two on SQLite, so that there are few statements; as many
 * as possible on PostgreSQL, to save round trips.
 */
function chooseBatchSize(kind: DatabaseKind, left: number): number {
  const max = Math.min(left, MAX_ROWS_PER_INSERT);
  return kind === 'sqlite' ? 2 ** Math.floor(Math.log2(max)) : max;
}

function createInsertStatement(kind: DatabaseKind, rows: number): string {
  const key = `${kind} ${rows}`;
  const cached = insertStatements.get(key);
  if (cached !== undefined) return cached;
  const placeholderOf = (index: number) => (kind === 'sqlite' ? '?' : `$${index + 1}`);
  const row = (first: number) =>
    `(${eventColumns.map((_column, index) => placeholderOf(first + index)).join(', ')})`;
  const values = Array.from({ length: rows }, (_row, index) => row(index * eventColumns.length)).join(', ');
  const text = `INSERT INTO events (${eventColumns.join(', ')}) VALUES ${values} RETURNING id`;
  insertStatements.set(key, text);
  return text;
}
