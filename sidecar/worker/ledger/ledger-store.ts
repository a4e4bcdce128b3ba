/**
 * The ledger's rows in SQLite: one per model call, one per task. A row is `reserved` before the call and `settled` after
 * it; if the worker is killed, it becomes `estimated` at the next start. The windows are read only at the start.
 */
import type { DatabaseFile } from '../../base/storage/database-file.ts';
import type { Amount } from './amount.ts';
import { ADD_TOTALS, createPruner } from './prune-calls.ts';
import type { LedgerEstimate, LedgerTotals } from '../../solving/run-ports.ts';
import type { CallCost } from '../../model/call-cost.ts';

/**
 * Number of settlements per checkpoint of the database. A checkpoint waits for the disk, so it follows a settlement and
 * never delays a budget check.
 */
const SETTLES_PER_CHECKPOINT = 256;

export interface CallRow extends CallCost {
  id: number;
  taskId: string;
  model: string;
  iteration: number;
  gpuSeconds: number;
  costUsd: number;
  atMs: number;
  /** `reserved`: running; `estimated`: the worker was killed during the call. */
  state: 'reserved' | 'settled' | 'estimated';
}
/** Sums of the pruned calls of one day and model. */
export interface DayRow extends LedgerTotals {
  /** Start of the day (UTC). */
  dayMs: number;
  model: string;
}
export interface CallQuery {
  taskId?: string;
  sinceMs?: number;
  /** Maximum number of rows. Default: 1000. */
  limit?: number;
}
export type LedgerStore = ReturnType<typeof createLedgerStore>;

const TASK_COLUMNS =
  'calls, tokens_in AS tokensIn, tokens_out AS tokensOut, gpu_seconds AS gpuSeconds, cost_usd AS costUsd';
const CALL_COLUMNS = `id, task_id AS taskId, model, iteration, tokens_in AS tokensIn, tokens_out AS tokensOut,
  total_ns AS totalNs, load_ns AS loadNs, prompt_eval_ns AS promptEvalNs, eval_ns AS evalNs,
  gpu_seconds AS gpuSeconds, cost_usd AS costUsd, at AS atMs, state`;
const ADD_TO_TASK = `ON CONFLICT (task_id) DO UPDATE SET
  ${ADD_TOTALS}, last_at = max(last_at, excluded.last_at)`;

/** Creates the store of the ledger. Its methods throw `StorageError`. */
export function createLedgerStore(file: DatabaseFile) {
  const { sql } = file;
  sql.pragma('wal_autocheckpoint = 0');
  const insertCall = sql.prepare<[string, string, number, number, number, number, number, number]>(
    `INSERT INTO calls (task_id, model, iteration, tokens_in, tokens_out, gpu_seconds, cost_usd, at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'reserved')`,
  );
  const removeReserved = sql.prepare<[number]>("DELETE FROM calls WHERE id = ? AND state = 'reserved'");
  const taskTotals = sql.prepare<[string], LedgerTotals>(
    `SELECT ${TASK_COLUMNS} FROM task_totals WHERE task_id = ?`,
  );
  const selectSpent = sql.prepare<[number], { atMs: number; model: string } & Amount>(
    `SELECT max(at) AS atMs, model, sum(tokens_in + tokens_out) AS tokens, sum(cost_usd) AS usd,
       sum(gpu_seconds) AS gpu_seconds FROM calls WHERE at >= ? GROUP BY at / 60000, model`,
  );
  const selectCalls = sql.prepare<[number, number], CallRow>(
    `SELECT ${CALL_COLUMNS} FROM calls WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?`,
  );
  const selectCallsOfTask = sql.prepare<[string, number, number], CallRow>(
    `SELECT ${CALL_COLUMNS} FROM calls WHERE task_id = ? AND at >= ? ORDER BY at DESC, id DESC LIMIT ?`,
  );
  const selectDays = sql.prepare<[number], DayRow>(
    `SELECT day AS dayMs, model, ${TASK_COLUMNS} FROM day_totals WHERE day >= ? ORDER BY day DESC, model`,
  );
  return {
    reserve: (
      { taskId, model, iteration, tokensIn, tokensOut }: LedgerEstimate,
      { gpu_seconds: gpuSeconds, usd }: Amount,
      atMs: number,
    ): number =>
      file.guard(() =>
        Number(
          insertCall.run(taskId, model, iteration, tokensIn, tokensOut, gpuSeconds, usd, atMs)
            .lastInsertRowid,
        ),
      ),
    settle: createSettler(file),
    release: (id: number) => void file.guard(() => removeReserved.run(id)),
    /** Settles the reserved calls of a killed worker by their estimates. Returns the number of these calls. */
    settleInterruptedCalls: () => settleInterruptedCalls(file),
    /** Returns spending since `sinceMs`, summed by minute and model. */
    readSpendingSince: (sinceMs: number) => file.guard(() => selectSpent.all(sinceMs)),
    readTaskTotals: (taskId: string) => file.guard(() => taskTotals.get(taskId)),
    /** Returns calls, newest first. */
    readCalls: ({ taskId, sinceMs = 0, limit = 1000 }: CallQuery) =>
      file.guard(() =>
        taskId === undefined
          ? selectCalls.all(sinceMs, limit)
          : selectCallsOfTask.all(taskId, sinceMs, limit),
      ),
    /** Returns sums of pruned calls, newest day first. */
    readDays: ({ sinceMs = 0 }: Pick<CallQuery, 'sinceMs'>) => file.guard(() => selectDays.all(sinceMs)),
    prune: createPruner(file),
  };
}

function createSettler(file: DatabaseFile) {
  const { sql } = file;
  const update = sql.prepare<
    [number, number, number, number, number, number, number, number, number, number]
  >(
    `UPDATE calls SET state = 'settled', tokens_in = ?, tokens_out = ?, total_ns = ?, load_ns = ?,
       prompt_eval_ns = ?, eval_ns = ?, gpu_seconds = ?, cost_usd = ?, at = ? WHERE id = ?`,
  );
  const addToTask = sql.prepare<[string, number, number, number, number, number, number]>(
    `INSERT INTO task_totals (task_id, calls, tokens_in, tokens_out, gpu_seconds, cost_usd, first_at, last_at)
     VALUES (?, 1, ?, ?, ?, ?, ?, ?) ${ADD_TO_TASK}`,
  );
  let settlementCount = 0;
  return (id: number, taskId: string, actual: CallCost, amount: Amount, atMs: number): void => {
    const { tokensIn, tokensOut, totalNs, loadNs, promptEvalNs, evalNs } = actual;
    const { gpu_seconds: gpuSeconds, usd } = amount;
    file.transaction(() => {
      update.run(tokensIn, tokensOut, totalNs, loadNs, promptEvalNs, evalNs, gpuSeconds, usd, atMs, id);
      addToTask.run(taskId, tokensIn, tokensOut, gpuSeconds, usd, atMs, atMs);
    });
    settlementCount += 1;
    if (settlementCount % SETTLES_PER_CHECKPOINT === 0)
      file.guard(() => sql.pragma('wal_checkpoint(PASSIVE)'));
  };
}

function settleInterruptedCalls(file: DatabaseFile): number {
  return file.transaction(() => {
    file.sql
      .prepare(
        `INSERT INTO task_totals (task_id, calls, tokens_in, tokens_out, gpu_seconds, cost_usd, first_at, last_at)
         SELECT task_id, count(*), sum(tokens_in), sum(tokens_out), sum(gpu_seconds), sum(cost_usd), min(at), max(at)
         FROM calls WHERE state = 'reserved' GROUP BY task_id ${ADD_TO_TASK}`,
      )
      .run();
    return file.sql.prepare("UPDATE calls SET state = 'estimated' WHERE state = 'reserved'").run().changes;
  });
}
