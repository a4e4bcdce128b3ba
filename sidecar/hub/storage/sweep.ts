/** Removes old rows in slices, oldest first: each step reads one range of the primary key. */
import { sql } from 'kysely';
import { runInSteps, type Steps } from '../../system/in-steps.ts';
import { surplusRows } from './number-range.ts';
import type { HubTransaction } from './hub-database.ts';
import type { HubStore } from './unit-of-work.ts';

/** The tables to sweep. Later rows are newer; no row is about a task that ended before the row's `at`. */
const sources = {
  events: {
    rows: sql`SELECT events.id AS number, events.at, finished_at FROM events JOIN tasks ON tasks.id = task_id`,
    number: sql.ref('events.id'),
    slice: 1_000,
    remove: (trx: HubTransaction, ids: readonly number[]) => trx.deleteFrom('events').where('id', 'in', ids),
  },
  /** Deletes their texts, attempts, events and messages, too (by cascade). */
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
export async function sweep(
  store: HubStore,
  table: keyof typeof sources,
  { endedBeforeMs, maxCount, steps }: { endedBeforeMs: number; maxCount: number; steps: Omit<Steps, 'step'> },
): Promise<number> {
  const { rows: select, number, slice, remove } = sources[table];
  let surplus = await surplusRows(store.db, table, maxCount);
  let removed = 0;
  let after = 0;
  const step = async (): Promise<boolean> => {
    const query = sql<SweptRow>`${select} WHERE ${number} > ${after} ORDER BY ${number} LIMIT ${slice}`;
    const { rows } = await query.execute(store.db);
    let left = surplus;
    const ids = rows.flatMap(({ number: id, finished_at: finishedAt }) => {
      if (finishedAt === null || (finishedAt >= endedBeforeMs && left <= 0)) return [];
      left -= 1;
      return [id];
    });
    if (ids.length > 0) {
      const { numDeletedRows: gone } = await store.run(({ trx }) => remove(trx, ids).executeTakeFirst());
      removed += Number(gone);
      surplus -= Number(gone);
    }
    const last = rows.at(-1);
    after = last?.number ?? after;
    return last !== undefined && (last.at < endedBeforeMs || surplus > 0);
  };
  await runInSteps({ ...steps, step });
  return removed;
}
