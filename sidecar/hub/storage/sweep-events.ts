/** Removes events a slice at a time, from the oldest on: each step reads one range of the primary key. */
import { surplusRows } from './number-range.ts';
import type { HubStore } from './unit-of-work.ts';

/** Rows of one transaction. */
const SLICE = 1_000;

/** Goes over a table from its oldest row on. */
export interface Sweep {
  /** Looks at the next slice; false at the end. */
  step: () => Promise<boolean>;
  /** Rows that are gone. */
  removed: () => number;
}

/** Removes events of tasks that ended before `endedBeforeMs`, and of ended ones while there are more than `maxCount`. */
export async function sweepEvents(store: HubStore, endedBeforeMs: number, maxCount: number): Promise<Sweep> {
  let surplus = await surplusRows(store.db, 'events', maxCount);
  let removed = 0;
  let after = 0;
  const step = async (): Promise<boolean> => {
    const first = await store.db
      .selectFrom('events')
      .select(['id', 'at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    // Later rows are newer, and no task ends before its own events.
    if (!first || (first.at >= endedBeforeMs && surplus <= 0)) return false;
    const last = first.id + SLICE - 1;
    const ids = await removable(store, [first.id, last], { endedBeforeMs, surplus });
    const gone = await remove(store, ids);
    removed += gone;
    surplus -= gone;
    after = last;
    return true;
  };
  return { step, removed: () => removed };
}

async function removable(
  { db }: HubStore,
  [first, last]: readonly [number, number],
  { endedBeforeMs, surplus }: { endedBeforeMs: number; surplus: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('events')
    .innerJoin('tasks', 'tasks.id', 'events.task_id')
    .select(['events.id as id', 'tasks.finished_at as finished_at'])
    .where('tasks.finished_at', 'is not', null)
    .$narrowType<{ finished_at: number }>()
    .where('events.id', '>=', first)
    .where('events.id', '<=', last)
    .orderBy('events.id')
    .execute();
  let left = surplus;
  return rows.flatMap(({ id, finished_at: finishedAt }) => {
    if (finishedAt >= endedBeforeMs && left <= 0) return [];
    left -= 1;
    return [id];
  });
}

async function remove(store: HubStore, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  return store.run(async ({ trx }) => {
    const { numDeletedRows } = await trx.deleteFrom('events').where('id', 'in', ids).executeTakeFirst();
    return Number(numDeletedRows);
  });
}
