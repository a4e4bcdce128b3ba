/** Reads the costs of tasks from the ledgers of the worker and of `run`; can read while a worker runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addTotals, createZeroTotals } from '../worker/ledger/amount.ts';
import { readLedger } from '../worker/ledger/export.ts';
import type { CallRow, DayRow } from '../worker/ledger/ledger-store.ts';
import type { Config } from '../base/config/schema.ts';
import { toPrintable } from '../base/values/printable.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { listStateFolders } from './state-folders.ts';
import type { Terminal } from './terminal.ts';
import type { LedgerTotals } from '../solving/run-ports.ts';

/** Costs of one task, model or day (UTC). */
interface SpendingSum extends LedgerTotals {
  name: string;
  lastAtMs: number;
}

const DAY_MS = 86_400_000;
/** Maximum number of calls that are read, newest first. */
const MAX_CALLS = 1_000_000;

export interface SpendingQuery {
  by: 'task' | 'model' | 'day' | 'call';
  days: number;
  taskId?: string | undefined;
}

/** Prints the costs: one line per task, model, day or call. */
export async function showSpending(
  terminal: Terminal,
  { worker }: Pick<Config, 'worker'>,
  { by, days: sinceDays, taskId }: SpendingQuery,
): Promise<void> {
  const { stateDir } = resolveWorkerFolders(worker);
  const query = { sinceMs: Date.now() - sinceDays * DAY_MS, taskId, limit: MAX_CALLS };
  const folders = (await listStateFolders(stateDir)).filter((dir) => existsSync(join(dir, 'ledger.sqlite')));
  const ledgers = await Promise.all(folders.map((folder) => readLedger(folder, query)));
  const calls = ledgers.flatMap((ledger) => ledger.calls).sort((a, b) => b.atMs - a.atMs);
  const days = taskId === undefined ? ledgers.flatMap((ledger) => ledger.days) : [];
  const rows: object[] = by === 'call' ? calls : sumCalls(calls, by, days);
  if (terminal.json) terminal.data(rows);
  else if (rows.length === 0)
    terminal.prose(
      `No model calls${taskId === undefined ? '' : ` of task ${taskId}`} in the last ${sinceDays} days.`,
    );
  else if (by === 'call') showCalls(terminal, calls);
  else showSums(terminal, by, sumCalls(calls, by, days));
}

const createEmptySum = (name: string): SpendingSum => ({ name, ...createZeroTotals(), lastAtMs: 0 });

/**
 * Sums up costs by task, model or day, most recent first. `days`: sums of pruned calls, whose tasks are unknown. Pure.
 */
function sumCalls(
  calls: readonly CallRow[],
  by: 'task' | 'model' | 'day',
  days: readonly DayRow[] = [],
): SpendingSum[] {
  const sums = new Map<string, SpendingSum>();
  const add = (name: string, totals: LedgerTotals, atMs: number) => {
    const sum = sums.get(name) ?? createEmptySum(name);
    sums.set(name, { ...addTotals(sum, totals), name, lastAtMs: Math.max(sum.lastAtMs, atMs) });
  };
  for (const call of calls) add(nameOf(call, by), { ...call, calls: 1 }, call.atMs);
  for (const day of days) add(nameOf({ ...day, taskId: EARLIER_TASKS, atMs: day.dayMs }, by), day, day.dayMs);
  return [...sums.values()].sort((a, b) => b.lastAtMs - a.lastAtMs);
}

/** Name of the sum of pruned calls, whose tasks are unknown. */
const EARLIER_TASKS = '(earlier tasks)';

type NamedCall = Pick<CallRow, 'taskId' | 'model' | 'atMs'>;

function nameOf({ taskId, model, atMs }: NamedCall, by: 'task' | 'model' | 'day'): string {
  if (by === 'task') return taskId;
  return by === 'model' ? model : new Date(atMs).toISOString().slice(0, 10);
}

function showSums(terminal: Terminal, by: string, rows: readonly SpendingSum[]): void {
  const total = rows.reduce<SpendingSum>(
    (sum, row) => ({ ...sum, ...addTotals(sum, row) }),
    createEmptySum('total'),
  );
  const lines = [...rows, total].map((row) => [
    row.name === 'total' ? terminal.color.bold(row.name) : toPrintable(row.name),
    String(row.calls),
    String(row.tokensIn),
    String(row.tokensOut),
    `${row.gpuSeconds.toFixed(1)} s`,
    row.costUsd.toFixed(4),
  ]);
  terminal.table(lines, [by.toUpperCase(), 'CALLS', 'TOKENS IN', 'OUT', 'GPU', 'USD']);
}

function showCalls(terminal: Terminal, calls: readonly CallRow[]): void {
  const rows = calls.map((call) => [
    new Date(call.atMs).toISOString().slice(0, 19),
    toPrintable(call.taskId),
    toPrintable(call.model),
    String(call.iteration),
    String(call.tokensIn),
    String(call.tokensOut),
    call.costUsd.toFixed(4),
  ]);
  terminal.table(rows, ['WHEN', 'TASK', 'MODEL', 'ITERATION', 'IN', 'OUT', 'USD'], ['MODEL']);
}
