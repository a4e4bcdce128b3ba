/**
 * Assigns queued tasks to connected workers with free capacity. Each batch is one transaction, so a task is assigned
 * once even if several replicas share the queue (`FOR NO KEY UPDATE SKIP LOCKED`).
 */
import { sql } from 'kysely';
import type { DatabaseKind, HubTransaction } from '../storage/hub-database.ts';
import { hasFirstGo, isInFlight, isQueued } from '../storage/conditions.ts';
import type { TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { budgetInTheWayColumn, budgetUses, isUsedUp } from './budgets.ts';
import type { BudgetUse } from './budgets.ts';
import { chooseWorker, readRequirement, suits } from './requirements.ts';
import type { Candidate } from './requirements.ts';
import { recordTaskEvent } from './task-events.ts';
import type { QueueContext } from './timings.ts';

/** A worker on this replica that may get tasks now. */
export type ReadyWorker = Omit<Candidate, 'load'> & { sessionId: string };
export interface TaskDelivery {
  task: TaskHead;
  /** The submission as JSON, sent to the worker. */
  content: string;
  sessionId: string;
}

const MAX_TASKS_PER_TRANSACTION = 64;
/** Distinct requirements in one batch that some worker meets; further ones wait for the next batch. */
const MAX_REQUIREMENTS = 200;

const QUEUED_COLUMNS = ['id', 'priority', 'seq', 'requirement', 'preferred_worker'] as const;
type QueuedTask = Pick<TaskHead, (typeof QUEUED_COLUMNS)[number]>;

/** Assigns up to a batch of tasks and returns them; empty if no queued task fits a ready worker. */
export function assignTasks(context: QueueContext, ready: readonly ReadyWorker[]): Promise<TaskDelivery[]> {
  return context.store.run(async (unit) => {
    const workers = await addLoad(unit.trx, ready);
    const roomy = workers.filter(({ load, capacity }) => load < capacity);
    if (roomy.length === 0) return [];
    const now = context.clock.now();
    const usedUp = (await budgetUses(context, unit.trx)).filter(isUsedUp);
    const queued = await fittingTasks(unit, { roomy, now, usedUp });
    const chosen = new Map<string, ReadyWorker>();
    for (const task of queued) {
      const worker = chooseWorker(readRequirement(task.requirement), roomy, task.preferred_worker);
      if (!worker) continue;
      worker.load += 1;
      worker.lastAssignedAtMs = now;
      chosen.set(task.id, worker);
    }
    // Another replica skipped the rows that were locked here: notify it, so that it looks again.
    if (unit.kind === 'postgresql' && chosen.size > 0 && chosen.size < queued.length)
      unit.announce({ kind: 'queue' });
    return assign(unit, chosen, now, now + context.timings.acceptTimeoutMs);
  });
}

async function addLoad(
  trx: HubTransaction,
  ready: readonly ReadyWorker[],
): Promise<(ReadyWorker & Candidate)[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select(['worker_id', (eb) => eb.fn.countAll<number>().as('load')])
    .where(isInFlight)
    .groupBy('worker_id')
    .execute();
  const loads = new Map(rows.map(({ worker_id: id, load }) => [id, load]));
  return ready.map((worker) => ({ ...worker, load: loads.get(worker.agentId) ?? 0 }));
}

/**
 * Returns the next tasks that some of these workers could run: first the tasks that a worker had when its connection
 * was lost (it may still run them, so budgets do not count), then the others by priority and submission.
 */
async function fittingTasks(
  { trx, kind }: UnitOfWork,
  { roomy, now, usedUp }: { roomy: readonly Candidate[]; now: number; usedUp: readonly BudgetUse[] },
): Promise<QueuedTask[]> {
  const room = roomy.reduce((sum, { capacity, load }) => sum + capacity - load, 0);
  const queued = () => queuedTasks(trx, kind, now).limit(Math.min(MAX_TASKS_PER_TRANSACTION, room));
  const names = roomy.map(({ agentId }) => agentId);
  const own = await queued().where(hasFirstGo).where('preferred_worker', 'in', names).execute();
  const fitting = (await queuedRequirements(trx)).filter((key) => {
    const requirement = readRequirement(key);
    return roomy.some((worker) => !worker.isDraining && suits(requirement, worker));
  });
  const found: QueuedTask[] = [];
  for (const key of fitting.slice(0, MAX_REQUIREMENTS)) {
    const tasks = await queued()
      .where('requirement', '=', key)
      .where(budgetInTheWayColumn(usedUp), 'is', null)
      .where((eb) =>
        eb.or([
          eb('preferred_worker', 'is', null),
          eb('preferred_until', '<=', now),
          eb('preferred_worker', 'in', names),
        ]),
      )
      .execute();
    found.push(...tasks);
  }
  const others = found.filter(({ id }) => !own.some((task) => task.id === id));
  return [...own, ...others.sort((a, b) => b.priority - a.priority || a.seq - b.seq)];
}

/**
 * Selects the tasks that may be assigned now, in queue order, without rows that another replica has locked. Storing an
 * event locks only its task's key and so hides no task.
 */
function queuedTasks(trx: HubTransaction, kind: DatabaseKind, now: number) {
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
async function queuedRequirements(trx: HubTransaction): Promise<string[]> {
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
  chosen: ReadonlyMap<string, ReadyWorker>,
  now: number,
  leaseUntil: number,
): Promise<TaskDelivery[]> {
  if (chosen.size === 0) return [];
  const rows = await unit.trx
    .updateTable('tasks')
    .set((eb) => ({
      status: 'assigned',
      generation: eb('generation', '+', 1),
      worker_id: caseByTask(chosen, ({ agentId }) => agentId),
      session_id: caseByTask(chosen, ({ sessionId }) => sessionId),
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
    .where('id', 'in', [...chosen.keys()])
    .where('status', '=', 'queued')
    .returningAll()
    .execute();
  unit.announce({ kind: 'due', atMs: leaseUntil });
  const texts = await unit.trx
    .selectFrom('task_texts')
    .select(['task_id', 'content'])
    .where('task_id', 'in', [...chosen.keys()])
    .execute();
  const contents = new Map(texts.map(({ task_id: id, content }) => [id, content]));
  const assigned = new Map(rows.map((task) => [task.id, task]));
  const given: TaskDelivery[] = [];
  for (const [taskId, { sessionId }] of chosen) {
    const task = assigned.get(taskId);
    const content = contents.get(taskId);
    if (!task || content === undefined) continue;
    recordTaskEvent(unit, task, 'assigned', now);
    given.push({ task, content, sessionId });
  }
  return given;
}

const caseByTask = (chosen: ReadonlyMap<string, ReadyWorker>, of: (worker: ReadyWorker) => string) => {
  const cases = [...chosen].map(([taskId, worker]) => sql`WHEN ${taskId} THEN ${of(worker)}`);
  return sql<string>`CASE id ${sql.join(cases, sql` `)} END`;
};
