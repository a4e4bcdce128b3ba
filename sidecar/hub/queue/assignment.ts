/**
 * Assigns queued tasks to connected workers with free capacity. Each batch is one transaction, so a task is assigned
 * once even if several replicas share the queue (`FOR NO KEY UPDATE SKIP LOCKED`).
 */
import { sql } from 'kysely';
import type { DatabaseKind, HubTransaction } from '../storage/hub-database.ts';
import { hasPreferredWorker, isInFlight, isQueued } from '../storage/conditions.ts';
import type { TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { selectBlockingBudget, readBudgetUses, isUsedUp } from './budgets.ts';
import type { BudgetUse } from './budgets.ts';
import { chooseWorker, readRequirement, meetsRequirement } from './requirements.ts';
import type { WorkerCandidate } from './requirements.ts';
import { recordTaskEvent } from './task-events.ts';
import type { QueueContext } from './timings.ts';

/** A worker on this replica that may get tasks now. */
export type ReadyWorker = Omit<WorkerCandidate, 'load'> & { sessionId: string };
export interface TaskDelivery {
  task: TaskHead;
  /** The submission as JSON, sent to the worker. */
  content: string;
  sessionId: string;
}

const MAX_TASKS_PER_TRANSACTION = 64;
/** Maximum number of distinct requirements in one batch; further requirements wait for the next batch. */
const MAX_REQUIREMENTS = 200;

const QUEUED_COLUMNS = ['id', 'priority', 'seq', 'requirement', 'preferred_worker'] as const;
type QueuedTask = Pick<TaskHead, (typeof QUEUED_COLUMNS)[number]>;

/** Assigns at most one batch of tasks and returns it; empty if no queued task fits a ready worker. */
export function assignTasks(context: QueueContext, ready: readonly ReadyWorker[]): Promise<TaskDelivery[]> {
  return context.store.run(async (unit) => {
    const workers = await addLoad(unit.trx, ready);
    const freeWorkers = workers.filter(({ load, capacity }) => load < capacity);
    if (freeWorkers.length === 0) return [];
    const now = context.clock.now();
    const exhaustedBudgets = (await readBudgetUses(context, unit.trx)).filter(isUsedUp);
    const queuedTasks = await findFittingTasks(unit, { freeWorkers, now, usedUp: exhaustedBudgets });
    const workerByTask = new Map<string, ReadyWorker>();
    for (const task of queuedTasks) {
      const worker = chooseWorker(readRequirement(task.requirement), freeWorkers, task.preferred_worker);
      if (!worker) continue;
      worker.load += 1;
      worker.lastAssignedAtMs = now;
      workerByTask.set(task.id, worker);
    }
    // Another replica skipped the rows that this one locked, so it is notified to look at the queue again.
    if (unit.kind === 'postgresql' && workerByTask.size > 0 && workerByTask.size < queuedTasks.length)
      unit.announce({ kind: 'queue' });
    return assign(unit, workerByTask, now, now + context.timings.acceptTimeoutMs);
  });
}

async function addLoad(
  trx: HubTransaction,
  ready: readonly ReadyWorker[],
): Promise<(ReadyWorker & WorkerCandidate)[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select(['worker_id', (eb) => eb.fn.countAll<number>().as('load')])
    .where(isInFlight)
    .groupBy('worker_id')
    .execute();
  const loads = new Map(rows.map(({ worker_id: id, load }) => [id, load]));
  return ready.map((worker) => ({ ...worker, load: loads.get(worker.workerId) ?? 0 }));
}

/**
 * Returns the next tasks that some of these workers could run: first the tasks that a worker had when its connection
 * was lost (it may still run them, so budgets do not count), then the others by priority and submission.
 */
async function findFittingTasks(
  { trx, kind }: UnitOfWork,
  {
    freeWorkers,
    now,
    usedUp,
  }: { freeWorkers: readonly WorkerCandidate[]; now: number; usedUp: readonly BudgetUse[] },
): Promise<QueuedTask[]> {
  const freeCapacity = freeWorkers.reduce((sum, { capacity, load }) => sum + capacity - load, 0);
  const selectNext = () =>
    selectQueuedTasks(trx, kind, now).limit(Math.min(MAX_TASKS_PER_TRANSACTION, freeCapacity));
  const names = freeWorkers.map(({ workerId }) => workerId);
  const returningTasks = await selectNext()
    .where(hasPreferredWorker)
    .where('preferred_worker', 'in', names)
    .execute();
  const fittingKeys = (await readQueuedRequirements(trx)).filter((key) => {
    const requirement = readRequirement(key);
    return freeWorkers.some((worker) => !worker.isDraining && meetsRequirement(requirement, worker));
  });
  const fittingTasks: QueuedTask[] = [];
  for (const key of fittingKeys.slice(0, MAX_REQUIREMENTS)) {
    const tasks = await selectNext()
      .where('requirement', '=', key)
      .where(selectBlockingBudget(usedUp), 'is', null)
      .where((eb) =>
        eb.or([
          eb('preferred_worker', 'is', null),
          eb('preferred_until', '<=', now),
          eb('preferred_worker', 'in', names),
        ]),
      )
      .execute();
    fittingTasks.push(...tasks);
  }
  const otherTasks = fittingTasks.filter(({ id }) => !returningTasks.some((task) => task.id === id));
  return [...returningTasks, ...otherTasks.sort((a, b) => b.priority - a.priority || a.seq - b.seq)];
}

/**
 * Selects the tasks that may be assigned now, in queue order, without rows that another replica has locked. A
 * transaction that stores an event locks only the key of its task and so hides no task from this query.
 */
function selectQueuedTasks(trx: HubTransaction, kind: DatabaseKind, now: number) {
  const query = trx
    .selectFrom('tasks')
    .select(QUEUED_COLUMNS)
    .where(isQueued)
    .where('not_before', '<=', now)
    .orderBy('priority', 'desc')
    .orderBy('seq');
  return kind === 'postgresql' ? query.forNoKeyUpdate().skipLocked() : query;
}

/** Returns the distinct requirements of all queued tasks, by skipping along the index instead of reading the whole queue. */
async function readQueuedRequirements(trx: HubTransaction): Promise<string[]> {
  const { rows } = await sql<{ requirement: string }>`
    WITH RECURSIVE keys (requirement) AS (
      SELECT MIN(requirement) FROM tasks WHERE status = 'queued'
      UNION ALL
      SELECT (SELECT MIN(tasks.requirement) FROM tasks
              WHERE tasks.status = 'queued' AND tasks.requirement > keys.requirement)
      FROM keys WHERE keys.requirement IS NOT NULL)
    SELECT requirement FROM keys WHERE requirement IS NOT NULL`.execute(trx);
  return rows.map(({ requirement }) => requirement);
}

/** Assigns the chosen tasks in one statement; skips tasks that are no longer queued. */
async function assign(
  unit: UnitOfWork,
  workerByTask: ReadonlyMap<string, ReadyWorker>,
  now: number,
  leaseUntil: number,
): Promise<TaskDelivery[]> {
  if (workerByTask.size === 0) return [];
  const rows = await unit.trx
    .updateTable('tasks')
    .set((eb) => ({
      status: 'assigned',
      generation: eb('generation', '+', 1),
      worker_id: caseByTask(workerByTask, ({ workerId }) => workerId),
      session_id: caseByTask(workerByTask, ({ sessionId }) => sessionId),
      preferred_worker: null,
      preferred_until: 0,
      lease_until: leaseUntil,
      assigned_at: now,
      accepted_at: null,
      progress: null,
      hold_reason: null,
      hold_since: null,
      asks: null,
      updated_at: now,
    }))
    .where('id', 'in', [...workerByTask.keys()])
    .where('status', '=', 'queued')
    .returningAll()
    .execute();
  unit.announce({ kind: 'due', atMs: leaseUntil });
  const texts = await unit.trx
    .selectFrom('task_texts')
    .select(['task_id', 'content'])
    .where('task_id', 'in', [...workerByTask.keys()])
    .execute();
  const contents = new Map(texts.map(({ task_id: id, content }) => [id, content]));
  const assignedTasks = new Map(rows.map((task) => [task.id, task]));
  const deliveries: TaskDelivery[] = [];
  for (const [taskId, { sessionId }] of workerByTask) {
    const task = assignedTasks.get(taskId);
    const content = contents.get(taskId);
    if (!task || content === undefined) continue;
    recordTaskEvent(unit, task, 'assigned', now);
    deliveries.push({ task, content, sessionId });
  }
  return deliveries;
}

const caseByTask = (chosen: ReadonlyMap<string, ReadyWorker>, valueOf: (worker: ReadyWorker) => string) => {
  const cases = [...chosen].map(([taskId, worker]) => sql`WHEN ${taskId} THEN ${valueOf(worker)}`);
  return sql<string>`CASE id ${sql.join(cases, sql` `)} END`;
};
