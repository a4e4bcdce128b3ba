/** Reads the history of ended tasks on this machine, also while a worker writes it. */
import { join } from 'node:path';
import type { TaskResult } from '../protocol/result.ts';
import { stateSchema, type StateRow } from './schema.ts';
import { readSqliteFile } from './sqlite-file.ts';
import { parseStoredJson } from './storage-error.ts';

export interface HistoryRow {
  taskId: string;
  generation: number;
  /** Outcome of the task: `success`, `partial`, `failed`, `cancelled`, or `aborted`. */
  outcome: string;
  result?: TaskResult;
  /** Error message of a failed task without a result. */
  error?: string;
  /**
   * State of the result's delivery: `pending`, the status of the hub's `task_ack`, `moot: <reason>` after a permanent refusal, or `none` if
   * there is nothing to send.
   */
  delivery: string;
  finishedAtMs: number;
}

type SelectedHistoryRow = Omit<HistoryRow, 'result' | 'error'> &
  Pick<StateRow<'history'>, 'result' | 'error'>;

const HISTORY_COLUMNS =
  'task_id AS taskId, generation, outcome, error, delivery, finished_at AS finishedAtMs';

/**
 * Returns the history of a state folder, or of one task in it, newest first. Results can be several
 * megabytes, so they are read only if `includesResults` is set. Rejects with a `StorageError`.
 */
export async function readHistory(
  folder: string,
  query: { taskId?: string; limit: number; includesResults?: boolean },
): Promise<HistoryRow[]> {
  const path = join(folder, 'state.sqlite');
  const { taskId, limit, includesResults = false } = query;
  const columns = `${HISTORY_COLUMNS}, ${includesResults ? 'result' : 'NULL AS result'}`;
  const rows = await readSqliteFile(path, stateSchema, (sql) =>
    sql
      .prepare<[{ taskId: string | null; limit: number }], SelectedHistoryRow>(
        `SELECT ${columns} FROM history WHERE $taskId IS NULL OR task_id = $taskId ORDER BY id DESC LIMIT $limit`,
      )
      .all({ taskId: taskId ?? null, limit }),
  );
  return (rows ?? []).map(({ result, error, ...row }) => ({
    ...row,
    ...(result !== null && { result: parseStoredJson(result, path) as TaskResult }),
    ...(error !== null && { error }),
  }));
}
