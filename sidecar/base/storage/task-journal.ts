/** Stores the journals of tasks. The entries of one append are written in one transaction, so either all of them are stored or none. */
import type { StateRow } from './schema.ts';
import type { StateDatabase } from './state-database.ts';
import { parseStoredJson } from './storage-error.ts';

type JournalRow = Omit<StateRow<'journal'>, 'id' | 'task_id' | 'call'>;

type StoredEntry = Omit<JournalRow, 'body' | 'used_ms'> & { body: unknown; usedMs?: number };

/**
 * Creates the journal of an accepted task. It includes the entries of earlier assignments, so that a
 * reassigned task resumes. Methods throw `StorageError`.
 */
export function createTaskJournal({ state }: StateDatabase, taskId: string) {
  const insert = state.sql.prepare<[string, string, number, string, string, number | null]>(
    'INSERT INTO journal (task_id, stage, round, kind, body, used_ms) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const select = state.sql.prepare<[string], JournalRow>(
    'SELECT stage, round, kind, body, used_ms FROM journal WHERE task_id = ? ORDER BY id',
  );
  const insertEntry = ({ stage, round, kind, body, usedMs }: StoredEntry) =>
    insert.run(taskId, stage, round, kind, JSON.stringify(body ?? null), usedMs ?? null);
  const entryOf = ({ used_ms: usedMs, body, ...row }: JournalRow): StoredEntry => ({
    ...row,
    body: parseStoredJson(body, state.path),
    ...(usedMs !== null && { usedMs }),
  });
  return {
    /** Writes entries. They survive a killed process on return, and are on disk when the promise resolves. `withinMs`: maximum delay. */
    append(entries: readonly StoredEntry[], withinMs?: number): Promise<void> {
      state.runUnsynced(() => state.transaction(() => entries.forEach(insertEntry)));
      return state.waitForSync(withinMs);
    },
    /** Returns all entries in the order in which they were written. */
    read: () => state.guard(() => select.all(taskId)).map(entryOf),
  };
}
