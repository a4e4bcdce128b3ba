/**
 * One change of the hub's state: rows, its events and the messages to other parts (and other
 * replicas) belong to one transaction. Nobody hears of anything that is not on disk, and readers hear it in
 * the order of sequence numbers.
 */
import { countFigures } from './count-figures.ts';
import { insertEvents } from './insert-events.ts';
import type { NewEvent } from './insert-events.ts';
import type { DatabaseKind, HubDatabase, HubTransaction } from './hub-database.ts';
import { errorCode } from '../../values/errors.ts';
import type { EventRow, FigureRow } from './tables.ts';

/** Messages between parts of a hub, or its replicas. Texts stay in the database: these are only pointers. */
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
  | { kind: 'worker'; agentId: string }
  | { kind: 'report' }
  | { kind: 'token_revoked'; id: string };

export interface UnitOfWork {
  readonly trx: HubTransaction;
  readonly kind: DatabaseKind;
  /** Stores an event with this change; it is published after the commit. */
  record(event: NewEvent): void;
  /** Adds to the overview's sums with this change. */
  count(figure: FigureRow): void;
  /** Stores a report of an ended task for each webhook with this change. */
  report(report: EndReport): void;
  /** Sent after the commit; dropped when the transaction is. */
  announce(message: HubMessage): void;
}

interface EndReport {
  taskId: string;
  at: number;
  body: string;
}

export interface FeedListener {
  /** Committed events in the order of their sequence numbers; each once. Must not throw. */
  onEvents(events: readonly EventRow[]): void;
  /** Must not throw. */
  onMessage(message: HubMessage): void;
  /** Messages of other replicas may have been missed. Must not throw. */
  onGap(): void;
}

/** Carries what was committed to the rest of the hub; in one process, or through PostgreSQL to all replicas. */
export interface CommitFeed {
  /** Called once, before the first commit that anybody is to hear of. */
  listen(listener: FeedListener): Promise<void>;
  close(): Promise<void>;
  /** Inside the transaction, as its last step. */
  beforeCommit?(trx: HubTransaction, events: EventRow[], messages: HubMessage[]): Promise<void>;
  /** After the commit, in its order. Never throws. */
  afterCommit(events: EventRow[], messages: HubMessage[]): void;
}

/** Changes that share one commit, and so one wait for the disk. */
const MAX_GROUP = 128;

type CommitListener = (events: readonly EventRow[], figures: readonly FigureRow[]) => void;
type Work<T> = (unit: UnitOfWork) => Promise<T>;
interface Waiting {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
/** Rows and messages of a group of changes, for the moment when it is certain. */
interface Staged {
  events: NewEvent[];
  figures: FigureRow[];
  reports: EndReport[];
  messages: HubMessage[];
}

/** Then a change is tried again, and says whether there is room. */
const FULL_MS = 30_000;

/** As SQLite, the system and PostgreSQL say it. */
export const isDiskFull = (error: unknown): boolean =>
  /^(?:SQLITE_FULL|ENOSPC|EDQUOT|53100$)/.test(errorCode(error) ?? '');

export class HubStore {
  readonly database: HubDatabase;
  readonly #feed: CommitFeed;
  #waiting: Waiting[] = [];
  #committing = false;
  #fullUntilMs = 0;
  #onCommit: CommitListener = () => undefined;
  /** Where reports of ended tasks go. */
  readonly #reportUrls: readonly string[];

  constructor(database: HubDatabase, feed: CommitFeed, reportUrls: readonly string[] = []) {
    this.database = database;
    this.#feed = feed;
    this.#reportUrls = reportUrls;
  }

  get db() {
    return this.database.db;
  }

  /** A change was refused a moment ago, since the database's disk is full. */
  get isFull(): boolean {
    return performance.now() < this.#fullUntilMs;
  }

  /** Nothing is being written, and nothing waits for it. */
  get isIdle(): boolean {
    return !this.#committing;
  }

  /** Calls `listener` with the events and figures that this hub itself has committed; the feed passes on those of its replicas too. Must not throw. */
  onCommit(listener: CommitListener): void {
    this.#onCommit = listener;
  }

  /**
   * Resolves when the change is on disk; rejects, with nothing of it changed or published, when the database or
   * `work` does. Changes that come while one is being written share the next commit, in their order. `work` may be run
   * again where another change of its commit failed, so it changes nothing but the unit.
   */
  run<T>(work: Work<T>): Promise<T> {
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
        // A listener threw, which is a bug: whoever waits hears of it, and the next changes are still written.
        for (const { reject } of group) reject(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#committing = false;
  }

  async #storeReports(trx: HubTransaction, { reports, messages }: Staged): Promise<void> {
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

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    const staged: Staged = { events: [], figures: [], reports: [], messages: [] };
    const values: unknown[] = [];
    let stored: EventRow[] = [];
    let inCommit = false;
    try {
      await this.database.transaction(async (trx) => {
        const unit = unitOn(trx, this.database.kind, staged);
        for (const { work } of group) values.push(await work(unit));
        await countFigures(trx, staged.figures);
        await this.#storeReports(trx, staged);
        stored = await insertEvents(this.database.kind, trx, staged.events);
        await this.#feed.beforeCommit?.(trx, stored, staged.messages);
        inCommit = true;
      });
    } catch (error) {
      if (isDiskFull(error)) this.#fullUntilMs = performance.now() + FULL_MS;
      // Whether a commit that failed has happened after all is not known: nothing is done twice.
      if (group.length === 1 || inCommit) for (const { reject } of group) reject(error);
      else for (const one of group) await this.#commitGroup([one]);
      return;
    }
    this.#fullUntilMs = 0;
    this.#onCommit(stored, staged.figures);
    this.#feed.afterCommit(stored, staged.messages);
    group.forEach(({ resolve }, index) => resolve(values[index]));
  }
}

const unitOn = (trx: HubTransaction, kind: DatabaseKind, staged: Staged): UnitOfWork => ({
  trx,
  kind,
  record: (event) => staged.events.push(event),
  count: (figure) => staged.figures.push(figure),
  report: (report) => staged.reports.push(report),
  announce: (message) => staged.messages.push(message),
});
