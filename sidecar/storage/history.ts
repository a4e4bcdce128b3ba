/** Reads what became of the tasks that ended on this machine, beside the worker that writes it. */
import { join } from 'node:path';
import type { TaskResult } from '../protocol/result.ts';
import { stateSchema } from './schema.ts';
import { checkVersion, readSqliteFile } from './sqlite-file.ts';
import { storedJson } from './storage-error.ts';

export interface HistoryRow {
  taskId: string;
  generation: number;
  /** `success`, `partial`, `failed`, `cancelled`, `aborted`. */
  outcome: string;
  result?: TaskResult;
  /** The message of a failure without a result. */
  error?: string;
  /** `pending`, the hub's `task_ack` status, `moot: <reason>`, or `none` where nothing was to be sent. */
  delivery: string;
  finishedAtMs: number;
}

interface Row extends Pick<HistoryRow, 'taskId' | 'generation' | 'outcome' | 'delivery' | 'finishedAtMs'> {
  result: string | null;
  error: string | null;
}

const COLUMNS = 'task_id AS taskId, generation, outcome, error, delivery, finished_at AS finishedAtMs';

/**
 * The history of a state folder, newest first; of one task where `taskId` is given. Results are read only for `results`:
 * each may have megabytes. Throws `StorageError`.
 */
export function readHistory(
  folder: string,
  query: { taskId?: string; limit: number; results?: boolean },
): HistoryRow[] {
  const path = join(folder, 'state.sqlite');
  const { taskId, limit, results = false } = query;
  const columns = `${COLUMNS}, ${results ? 'result' : 'NULL AS result'}`;
  const rows = readSqliteFile(path, (sql) => {
    checkVersion(sql, path, stateSchema);
    return taskId === undefined
      ? sql.prepare<[number], Row>(`SELECT ${columns} FROM history ORDER BY id DESC LIMIT ?`).all(limit)
      : sql
          .prepare<[string, number], Row>(
            `SELECT ${columns} FROM history WHERE task_id = ? ORDER BY id DESC LIMIT ?`,
          )
          .all(taskId, limit);
  });
  return (rows ?? []).map(({ result, error, ...row }) => ({
    ...row,
    ...(result !== null && { result: storedJson(result, path) as TaskResult }),
    ...(error !== null && { error }),
  }));
}
