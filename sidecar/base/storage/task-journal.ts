/**
 * Implements the journal of a task: its input from outside, in order, persisted before it takes effect. The
 * entries of each append are stored in one transaction, so either all of them are stored or none.
 */
import type { JournalEntry, TaskJournal } from '../ports.ts';
import type { StateRow } from './schema.ts';
import type { StateDatabase } from './state-database.ts';
import { parseStoredJson } from './storage-error.ts';

type JournalRow = Omit<StateRow<'journal'>, 'id' | 'task_id'>;

/**
 * Creates the journal of an accepted task. It includes the entries of earlier assignments, so that a
 * reassigned task resumes. Methods throw `StorageError`.
 */
export function createTaskJournal({ state }: StateDatabase, taskId: string): TaskJournal {
  const insert = state.sql.prepare<[string, string, number, number, string, string, number | null]>(
    'INSERT INTO journal (task_id, stage, round, call, kind, body, used_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const columns = 'stage, round, call, kind, body, used_ms';
  const select = state.sql.prepare<[string, string | null, string | null], JournalRow>(
    `SELECT ${columns} FROM journal WHERE task_id = ? AND (? IS NULL OR stage = ?) ORDER BY id`,
  );
  const insertEntry = ({ stage, round, call, kind, body, usedMs }: JournalEntry) =>
    insert.run(taskId, stage, round, call, kind, JSON.stringify(body ?? null), usedMs ?? null);
  /** Writes entries. A single entry needs no transaction. */
  const insertAll = (entries: readonly JournalEntry[]) => {
    const [firstEntry] = entries;
    if (entries.length === 1 && firstEntry) state.guard(() => insertEntry(firstEntry));
    else if (entries.length > 1) state.transaction(() => entries.forEach(insertEntry));
  };
  const entryOf = ({ used_ms: usedMs, body, ...row }: JournalRow): JournalEntry => ({
    ...row,
    body: parseStoredJson(body, state.path),
    ...(usedMs !== null && { usedMs }),
  });
  return {
    append: insertAll,
    appendSoon(entries, withinMs) {
      if (entries.length === 0) return Promise.resolve();
      state.runUnsynced(() => insertAll(entries));
      return state.waitForSync(withinMs);
    },
    read: (stage) => state.guard(() => select.all(taskId, stage ?? null, stage ?? null)).map(entryOf),
  };
}
