/**
 * The journal of one task: what came to it from outside, in order, on disk before anything follows from it. One transaction
 * per append, so entries that belong together are there together or not at all.
 */
import type { JournalEntry, TaskJournal } from '../ports.ts';
import type { StateDatabase } from './state-database.ts';
import { storedJson } from './storage-error.ts';

interface Row extends Omit<JournalEntry, 'body' | 'usedMs'> {
  body: string;
  usedMs: number | null;
}

/**
 * The journal of a task that was accepted and has not ended. What was written before the task was assigned again is read as
 * well: it goes on where it stopped. Methods throw `StorageError`.
 */
export function createTaskJournal({ state }: StateDatabase, taskId: string): TaskJournal {
  const insert = state.sql.prepare<[string, string, number, number, string, string, number | null]>(
    'INSERT INTO journal (task_id, stage, round, call, kind, body, used_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const columns = 'stage, round, call, kind, body, used_ms AS usedMs';
  const select = state.sql.prepare<[string, string | null, string | null], Row>(
    `SELECT ${columns} FROM journal WHERE task_id = ? AND (? IS NULL OR stage = ?) ORDER BY id`,
  );
  const write = ({ stage, round, call, kind, body, usedMs }: JournalEntry) =>
    insert.run(taskId, stage, round, call, kind, JSON.stringify(body ?? null), usedMs ?? null);
  /** One entry needs no transaction around it. */
  const writeAll = (entries: readonly JournalEntry[]) => {
    const [only] = entries;
    if (entries.length === 1 && only) state.guard(() => write(only));
    else if (entries.length > 1) state.transaction(() => entries.forEach(write));
  };
  const entryOf = ({ usedMs, body, ...row }: Row): JournalEntry => ({
    ...row,
    body: storedJson(body, state.path),
    ...(usedMs !== null && { usedMs }),
  });
  return {
    append: writeAll,
    appendSoon(entries, withinMs) {
      if (entries.length === 0) return Promise.resolve();
      state.soon(() => writeAll(entries));
      return state.synced(withinMs);
    },
    read: (stage) => state.guard(() => select.all(taskId, stage ?? null, stage ?? null)).map(entryOf),
  };
}
