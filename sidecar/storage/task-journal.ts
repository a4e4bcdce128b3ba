/**
 * The journal of one task: what was said and done, in order, on disk before it is
 * acted on. One transaction per append, so a round's entries are there together or not at all.
 */
import type { JournalEntry, TaskJournal } from '../ports.ts';
import type { StateDatabase } from './state-database.ts';
import { storedJson } from './storage-error.ts';

interface Row {
  stage: string;
  round: number;
  call: number;
  kind: JournalEntry['kind'];
  body: string;
}

/**
 * The journal of a task that was accepted and has not ended. What was written before the task was assigned again is read as
 * well: it goes on where it stopped. Methods throw `StorageError`.
 */
export function createTaskJournal(db: StateDatabase, taskId: string): TaskJournal {
  const { state } = db;
  const insert = state.sql.prepare<[string, string, number, number, string, string, number | null]>(
    'INSERT INTO journal (task_id, stage, round, call, kind, body, used_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const mostUsed = state.sql
    .prepare<[string], number | null>('SELECT max(used_ms) FROM journal WHERE task_id = ?')
    .pluck();
  const select = state.sql.prepare<[string, string], Row>(
    'SELECT stage, round, call, kind, body FROM journal WHERE task_id = ? AND stage = ? ORDER BY id',
  );
  const write = ({ stage, round, call, kind, body, usedMs }: JournalEntry) =>
    insert.run(taskId, stage, round, call, kind, JSON.stringify(body ?? null), usedMs ?? null);
  /** One entry needs no transaction around it. */
  const writeAll = (entries: readonly JournalEntry[]) => {
    const [only] = entries;
    if (entries.length === 1 && only) state.guard(() => write(only));
    else if (entries.length > 1) state.transaction(() => entries.forEach(write));
  };
  return {
    append: writeAll,
    appendSoon(entries, withinMs) {
      if (entries.length === 0) return Promise.resolve();
      state.soon(() => writeAll(entries));
      return state.synced(withinMs);
    },
    read: (stage) => state.guard(() => select.all(taskId, stage)).map((row) => entryOf(row, state.path)),
    usedMs: () => state.guard(() => mostUsed.get(taskId) ?? 0),
  };
}

function entryOf(row: Row, path: string): JournalEntry {
  const { stage, round, call, kind } = row;
  return { stage, round, call, kind, body: storedJson(row.body, path) };
}
