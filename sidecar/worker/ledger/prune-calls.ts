/**
 * Bounds the ledger: old or surplus calls become sums by day and model, so that spending stays known. The last day's calls
 * always stay, because budgets are counted from them after a start.
 */
import type { DatabaseFile } from '../../base/storage/database-file.ts';

/** Limits of the calls and tasks that stay as rows. */
export interface RetentionLimits {
  maxAgeMs: number;
  maxCount: number;
}

const DAY_MS = 86_400_000;
/** How long calls are needed for budgets: the longest window, plus its last bucket. */
const BUDGET_WINDOW_MS = DAY_MS + 3_600_000;

/** SQL that adds the new row's totals to those of an existing row. */
export const ADD_TOTALS = `calls = calls + excluded.calls, tokens_in = tokens_in + excluded.tokens_in,
  tokens_out = tokens_out + excluded.tokens_out, gpu_seconds = gpu_seconds + excluded.gpu_seconds,
  cost_usd = cost_usd + excluded.cost_usd`;

const OLDEST_CALLS = "SELECT id FROM calls WHERE at < ? AND state <> 'reserved' ORDER BY at, id LIMIT ?";
const ADD_TO_DAY = `INSERT INTO day_totals (day, model, calls, tokens_in, tokens_out, gpu_seconds, cost_usd)
  SELECT at - at % ${DAY_MS}, model, count(*), sum(tokens_in), sum(tokens_out), sum(gpu_seconds), sum(cost_usd)
  FROM calls WHERE id IN (${OLDEST_CALLS}) GROUP BY 1, 2
  ON CONFLICT (day, model) DO UPDATE SET ${ADD_TOTALS}`;

/**
 * Returns a function that converts up to `maxRows` calls outside of the limits to sums, and returns the number of
 * removed rows. Sums of tasks are removed only if there are too many, the longest inactive first.
 */
export function createPruner(file: DatabaseFile) {
  const { sql } = file;
  const endOfSurplus = sql
    .prepare<[number], number>('SELECT at FROM calls ORDER BY at DESC LIMIT 1 OFFSET ?')
    .pluck();
  const addToDay = sql.prepare<[number, number]>(ADD_TO_DAY);
  const removeCalls = sql.prepare<[number, number]>(`DELETE FROM calls WHERE id IN (${OLDEST_CALLS})`);
  const removeTasks = sql.prepare<[number, number, number]>(
    `DELETE FROM task_totals WHERE task_id IN (SELECT task_id FROM task_totals WHERE last_at < ?
       ORDER BY last_at LIMIT min(?, max(0, (SELECT count(*) FROM task_totals) - ?)))`,
  );
  return ({ maxAgeMs, maxCount }: RetentionLimits, nowMs: number, maxRows: number): number =>
    file.transaction(() => {
      const surplusEndMs = (endOfSurplus.get(maxCount) ?? Number.NEGATIVE_INFINITY) + 1;
      const beforeMs = Math.min(Math.max(nowMs - maxAgeMs, surplusEndMs), nowMs - BUDGET_WINDOW_MS);
      addToDay.run(beforeMs, maxRows);
      const calls = removeCalls.run(beforeMs, maxRows).changes;
      return calls + removeTasks.run(nowMs - BUDGET_WINDOW_MS, maxRows, maxCount).changes;
    });
}
