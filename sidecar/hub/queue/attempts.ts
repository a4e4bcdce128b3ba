/**
 * The attempts at a task: one per worker that accepted it, with its usage and ending. The task's figures are the sums
 * over its attempts, updated in the same transaction.
 */
import type { UsageReport } from '../../base/protocol/events.ts';
import type { AttemptRow, TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { usageFigureOf } from './figures.ts';

/** Texts for the endings of an attempt, as parts of a sentence. */
export const attemptEndings = {
  success: 'success',
  partial: 'a partial result',
  failed: 'the attempt failed',
  cancelled: 'the task was cancelled',
  given_back: 'the worker returned the task',
  worker_lost: 'the connection to the worker was lost',
  lease_expired: 'the worker sent no heartbeat',
  not_accepted: 'the worker did not accept the task',
};
export type AttemptEnding = keyof typeof attemptEndings;
/** Tokens, cost and iterations; null if not reported. */
export type ReportedUsage = Pick<AttemptRow, 'tokens_in' | 'tokens_out' | 'cost_usd' | 'iterations'>;
const usageFields = [
  'tokens_in',
  'tokens_out',
  'cost_usd',
  'iterations',
] as const satisfies (keyof ReportedUsage)[];

export interface UsageOfAttempt {
  usage: ReportedUsage;
  /**
   * True if `usage` is the worker's total over all its attempts at the task; false if it is the usage of this attempt
   * only.
   */
  isFromWorker: boolean;
  model?: string | null;
}

/** Identifies an attempt; without `generation`, the last attempt of the worker. */
interface AttemptKey {
  taskId: string;
  workerId: string;
  generation?: number;
}

/** Records that a worker has accepted the task. Idempotent. */
export async function beginAttempt(
  { trx }: UnitOfWork,
  { taskId, workerId, generation }: Required<AttemptKey>,
  at: number,
): Promise<void> {
  await trx
    .insertInto('attempts')
    .values({ task_id: taskId, generation, worker_id: workerId, started_at: at })
    .onConflict((conflict) => conflict.columns(['task_id', 'generation']).doNothing())
    .execute();
}

/** Endings after which the same worker continues the task from its journal. */
const LOST_ENDINGS: ReadonlySet<string | null> = new Set<AttemptEnding>(['worker_lost', 'lease_expired']);

/** Returns whether a new attempt of this worker continues the last one, with the steering texts that it has received. */
export async function continuesAttempt(
  { trx }: UnitOfWork,
  { taskId, workerId }: { taskId: string; workerId: string },
): Promise<boolean> {
  const last = await trx
    .selectFrom('attempts')
    .select(['worker_id', 'ending'])
    .where('task_id', '=', taskId)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last !== undefined && last.worker_id === workerId && LOST_ENDINGS.has(last.ending);
}

/**
 * Adds a worker's reported usage; figures never decrease. Returns the task with its new sums and whether they have
 * grown; undefined if this worker has no such attempt.
 */
export async function addUsage(
  unit: UnitOfWork,
  attempt: AttemptKey,
  report: UsageOfAttempt,
  at: number,
): Promise<{ task: TaskHead; hasGrown: boolean } | undefined> {
  const { taskId, workerId, generation } = attempt;
  // The task is locked before its attempts, as in all other code: another order could deadlock two transactions.
  if (unit.kind !== 'sqlite') await lockTask(unit, taskId);
  const rows = await unit.trx
    .selectFrom('attempts')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('worker_id', '=', workerId)
    .orderBy('generation')
    .execute();
  const current = generation === undefined ? rows.at(-1) : rows.find((row) => row.generation === generation);
  if (!current) return undefined;
  const others = report.isFromWorker ? rows.filter((row) => row !== current) : [];
  const newFigures = Object.fromEntries(
    usageFields.map((key) => [key, maxFigureOf(current[key], report.usage[key], sumOf(others, key))]),
  ) as ReportedUsage;
  const model = report.model ?? current.model;
  await unit.trx
    .updateTable('attempts')
    .set({ ...newFigures, model })
    .where('task_id', '=', taskId)
    .where('generation', '=', current.generation)
    .execute();
  const increaseOf = (key: keyof ReportedUsage) => (newFigures[key] ?? 0) - (current[key] ?? 0);
  const tokens = { tokens_in: increaseOf('tokens_in'), tokens_out: increaseOf('tokens_out') };
  if (tokens.tokens_in + tokens.tokens_out > 0) unit.count(usageFigureOf(at, model, tokens));
  const hasGrown = usageFields.some((key) => increaseOf(key) > 0);
  return { task: await updateTaskSums(unit, taskId), hasGrown };
}

/** Ends an attempt that has not ended yet. Returns the task with its new sums. */
export async function endAttempt(
  unit: UnitOfWork,
  { taskId, generation }: Pick<Required<AttemptKey>, 'taskId' | 'generation'>,
  { ending, error = null, at }: { ending: AttemptEnding; error?: string | null; at: number },
): Promise<TaskHead> {
  await unit.trx
    .updateTable('attempts')
    .set({ ending, error, ended_at: at })
    .where('task_id', '=', taskId)
    .where('generation', '=', generation)
    .where('ended_at', 'is', null)
    .execute();
  return updateTaskSums(unit, taskId);
}

function updateTaskSums({ trx }: UnitOfWork, taskId: string): Promise<TaskHead> {
  return trx
    .updateTable('tasks')
    .set((eb) => {
      const attempts = eb.selectFrom('attempts').where('attempts.task_id', '=', taskId);
      const sum = (key: keyof ReportedUsage) =>
        attempts.select(({ fn }) => fn.sum<number | null>(key).as('sum'));
      const worked = attempts.select((row) =>
        row.fn.coalesce(row.fn.sum<number>(row('ended_at', '-', row.ref('started_at'))), row.lit(0)).as('ms'),
      );
      return {
        tokens_in: sum('tokens_in'),
        tokens_out: sum('tokens_out'),
        cost_usd: sum('cost_usd'),
        iterations_used: sum('iterations'),
        worked_ms: worked,
      };
    })
    .where('id', '=', taskId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

const lockTask = ({ trx }: UnitOfWork, taskId: string) =>
  trx.selectFrom('tasks').select('id').where('id', '=', taskId).forNoKeyUpdate().execute();

const sumOf = (rows: readonly ReportedUsage[], key: keyof ReportedUsage): number =>
  rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);

const maxFigureOf = (before: number | null, reported: number | null, elsewhere: number): number | null =>
  reported === null ? before : Math.max(before ?? 0, reported - elsewhere);

/** Returns the usage of a task in the format of its events. */
export const usageOfTask = ({ tokens_in, tokens_out, cost_usd, iterations_used }: TaskHead): UsageReport => ({
  tokens_in: tokens_in ?? 0,
  tokens_out: tokens_out ?? 0,
  cost_usd: cost_usd ?? 0,
  iterations: iterations_used ?? 0,
});

/** Converts an attempt to its API format. */
export const attemptViewOf = ({ task_id: _task, cost_usd, iterations, ...row }: AttemptRow) => ({
  ...row,
  estimated_cost_usd: cost_usd,
  iterations_used: iterations,
});
