/** Removes tasks with all that belongs to them, a slice at a time, in the order of their submission. */
import { surplusRows } from './number-range.ts';
import type { HubStore } from './unit-of-work.ts';
import type { Sweep } from './sweep-events.ts';

/** Tasks of one transaction; each has texts of up to a few megabytes, and some still have their events. */
const SLICE = 20;

/** Removes tasks that ended before `endedBeforeMs`, and the oldest ended ones while there are more than `maxCount`. */
export async function sweepTasks(store: HubStore, endedBeforeMs: number, maxCount: number): Promise<Sweep> {
  let surplus = await surplusRows(store.db, 'tasks', maxCount);
  let removed = 0;
  let after = 0;
  const step = async (): Promise<boolean> => {
    const rows = await store.db
      .selectFrom('tasks')
      .select(['seq', 'id', 'created_at', 'finished_at'])
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(SLICE)
      .execute();
    let left = surplus;
    const ids = rows.flatMap(({ id, finished_at: finishedAt }) => {
      if (finishedAt === null || (finishedAt >= endedBeforeMs && left <= 0)) return [];
      left -= 1;
      return [id];
    });
    const gone = await remove(store, ids);
    removed += gone;
    surplus -= gone;
    const last = rows.at(-1);
    after = last?.seq ?? after;
    // Tasks that were submitted later than this cannot have ended earlier.
    return last !== undefined && (last.created_at < endedBeforeMs || surplus > 0);
  };
  return { step, removed: () => removed };
}

/** One that was put back into the queue in the meantime stays. */
async function remove(store: HubStore, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return store.run(async ({ trx }) => {
    const ended = trx.deleteFrom('tasks').where('id', 'in', ids).where('finished_at', 'is not', null);
    return Number((await ended.executeTakeFirst()).numDeletedRows);
  });
}
