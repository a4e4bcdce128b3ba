/**
 * Removes old or surplus events and tasks at the start and every six hours, in small transactions that wait for an idle
 * moment, so that the queue is never delayed.
 */
import { sql } from 'kysely';
import type { Clock, Logger } from '../../base/ports.ts';
import { runEvery } from '../../base/system/clock.ts';
import { DAY_MS } from './count-figures.ts';
import type { HubStore } from './unit-of-work.ts';
import { runInSteps, type StepOptions } from '../../base/system/run-in-steps.ts';
import { countSurplusRows } from './number-range.ts';
import type { HubTransaction } from './hub-database.ts';

const INTERVAL_MS = 6 * 3_600_000;
/** Number of days for which sums are retained; there are a few rows per hour. */
const FIGURE_DAYS = 400;
/** Maximum wait for an idle moment before the next step. */
const MAX_IDLE_WAIT_MS = 1_000;

/** Limits of retention. Tasks that have not ended are always retained, with their events. */
export interface HubRetention {
  /** Number of days for which a task is retained after its end. */
  taskDays: number;
  taskCount: number;
  /** Number of days for which events are retained after the end of their task. */
  eventDays: number;
  eventCount: number;
}
export const defaultRetention: HubRetention = {
  taskDays: 180,
  taskCount: 1_000_000,
  eventDays: 30,
  eventCount: 2_000_000,
};

interface RetentionOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
  limits: HubRetention;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #closed = new AbortController();
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Removes old rows at once, and then every six hours. */
  start(): void {
    const removeOnce = (): void => void (this.#running = this.#running.then(() => this.#removeOld()));
    removeOnce();
    this.#cancel = runEvery(this.#options.clock, INTERVAL_MS, removeOnce);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#cancel();
    await this.#running;
  }

  /** Removes old rows of all tables. Never rejects. */
  async #removeOld(): Promise<void> {
    const { store, clock, logger, limits } = this.#options;
    const steps = {
      isIdle: () => store.isIdle,
      maxIdleWaitMs: MAX_IDLE_WAIT_MS,
      clock,
      signal: this.#closed.signal,
    };
    const endedBefore = (days: number) => Math.round(clock.now() - days * DAY_MS);
    const removeRows = (table: 'events' | 'tasks', days: number, maxCount: number) =>
      removeOldRows(store, table, { endedBeforeMs: endedBefore(days), maxCount, steps });
    try {
      const removed = {
        events: await removeRows('events', limits.eventDays, limits.eventCount),
        tasks: await removeRows('tasks', limits.taskDays, limits.taskCount),
      };
      await store.db.deleteFrom('figures').where('hour', '<', endedBefore(FIGURE_DAYS)).execute();
      if (removed.events > 0 || removed.tasks > 0) logger.info(removed, 'old events and tasks were removed');
    } catch (error) {
      logger.error({ err: error }, 'old events and tasks could not be removed');
    }
  }
}

/** The tables to sweep. Later rows are newer; no row is about a task that ended before the row's `at`. */
const sweptTables = {
  events: {
    rows: sql`SELECT events.id AS number, events.at, finished_at FROM events JOIN tasks ON tasks.id = task_id`,
    number: sql.ref('events.id'),
    slice: 1_000,
    remove: (trx: HubTransaction, ids: readonly number[]) => trx.deleteFrom('events').where('id', 'in', ids),
  },
  /** Deleting tasks also deletes their texts, attempts, events and messages (by cascade). */
  tasks: {
    rows: sql`SELECT seq AS number, created_at AS at, finished_at FROM tasks`,
    number: sql.ref('seq'),
    // A task has texts of up to a few megabytes, and some still have events.
    slice: 20,
    // A task that was requeued in the meantime stays.
    remove: (trx: HubTransaction, seqs: readonly number[]) =>
      trx.deleteFrom('tasks').where('seq', 'in', seqs).where('finished_at', 'is not', null),
  },
};

interface SweptRow {
  number: number;
  at: number;
  finished_at: number | null;
}

/**
 * Removes rows of tasks that ended before `endedBeforeMs`, and rows of ended tasks while the table has more than
 * `maxCount`. Returns the number of removed rows.
 */
async function removeOldRows(
  store: HubStore,
  table: keyof typeof sweptTables,
  {
    endedBeforeMs,
    maxCount,
    steps,
  }: { endedBeforeMs: number; maxCount: number; steps: Omit<StepOptions, 'step'> },
): Promise<number> {
  const { rows: select, number, slice, remove } = sweptTables[table];
  let surplus = await countSurplusRows(store.db, table, maxCount);
  let removed = 0;
  let after = 0;
  const step = async (): Promise<boolean> => {
    const query = sql<SweptRow>`${select} WHERE ${number} > ${after} ORDER BY ${number} LIMIT ${slice}`;
    const { rows } = await query.execute(store.db);
    let remainingSurplus = surplus;
    const ids = rows.flatMap(({ number: id, finished_at: finishedAt }) => {
      if (finishedAt === null || (finishedAt >= endedBeforeMs && remainingSurplus <= 0)) return [];
      remainingSurplus -= 1;
      return [id];
    });
    if (ids.length > 0) {
      const { numDeletedRows: deletedCount } = await store.run(({ trx }) =>
        remove(trx, ids).executeTakeFirst(),
      );
      removed += Number(deletedCount);
      surplus -= Number(deletedCount);
    }
    const last = rows.at(-1);
    after = last?.number ?? after;
    return last !== undefined && (last.at < endedBeforeMs || surplus > 0);
  };
  await runInSteps({ ...steps, step });
  return removed;
}
