/**
 * Changes of a task's state. Each is one transaction with one conditional UPDATE, so that only one of two concurrent
 * changes succeeds (a result and a cancellation, two replicas). Delivery is at least once; the generation fences
 * results, so that exactly one is accepted.
 */
import type { Clock } from '../../base/ports.ts';
import { isFinalFailure } from '../../base/protocol/failure-codes.ts';
import type { HubStore, UnitOfWork } from '../storage/unit-of-work.ts';
import type { AttemptRow, NewTaskRow, TaskHead, TaskRow, TaskStatus } from '../storage/tables.ts';
import { addUsage, beginAttempt, continuesAttempt, endAttempt } from './attempts.ts';
import type { AttemptEnding, UsageOfAttempt } from './attempts.ts';
import { resetDelivery, expireApprovals } from './conversations.ts';
import { outcomeColumnsOf, reportedUsageOf } from './outcome.ts';
import type { ReportedResult } from './outcome.ts';
import type { Submission, SubmissionContext } from './submission.ts';
import { createTaskRow } from './submission.ts';
import { recordTaskEvent } from './task-events.ts';
import type { QueueContext, QueueTimings } from './timings.ts';
import { computeRetryDelay } from './timings.ts';

/** Reason why a change was refused. `duplicate`: the same result was accepted before. */
export type TransitionFailure = 'not_found' | 'stale_generation' | 'invalid_state' | 'duplicate';
export type Transition<T = TaskHead> =
  { ok: true; task: T } | { ok: false; reason: TransitionFailure; task?: TaskHead };

/** Identifies the sender of a result. The result counts only if the sender still has the task. */
interface Assignment {
  taskId: string;
  workerId: string;
  generation: number;
}

const inFlightStatuses = ['assigned', 'running'] as const;
const openStatuses = ['queued', 'assigned', 'running'] as const;

interface TaskQueueOptions extends QueueContext {
  random?: () => number;
}

export class TaskQueue {
  readonly #store: HubStore;
  readonly #clock: Clock;
  readonly #timings: QueueTimings;
  readonly #random: () => number;

  constructor(options: TaskQueueOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#timings = options.timings;
    this.#random = options.random ?? Math.random;
  }

  /**
   * Stores a task, or returns the task with the same idempotency key. Returns `conflict` if the contents of the two
   * differ.
   */
  async submit(
    submission: Submission,
    by: Pick<SubmissionContext, 'submittedBy'>,
  ): Promise<{ task: TaskHead; created: boolean; conflict: boolean }> {
    const row = this.#createRow(submission, by);
    const task = await this.#store.run((unit) => this.#insert(unit, row));
    if (task) return { task, created: true, conflict: false };
    const earlier = await this.#store.db
      .selectFrom('tasks')
      .selectAll()
      .where('idempotency_key', '=', row.idempotency_key ?? '')
      .executeTakeFirstOrThrow();
    return { task: earlier, created: false, conflict: earlier.submission_hash !== row.submission_hash };
  }

  /** Creates the task that a result's `follow_up` describes; a second call returns the same task. */
  followUp(
    originId: string,
    submission: Submission,
    by: Pick<SubmissionContext, 'submittedBy'>,
  ): Promise<{ taskId: string; created: boolean }> {
    return this.#store.run(async (unit) => {
      const row = this.#createRow(submission, { ...by, followUpOf: originId });
      const origin = await unit.trx
        .updateTable('tasks')
        .set({ follow_up_task: row.id })
        .where('id', '=', originId)
        .where('follow_up_task', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!origin) {
        const existing = await unit.trx
          .selectFrom('tasks')
          .select('follow_up_task')
          .where('id', '=', originId)
          .executeTakeFirstOrThrow();
        return { taskId: existing.follow_up_task ?? '', created: false };
      }
      await this.#insert(unit, row);
      this.#emit(unit, origin, 'follow_up_created');
      return { taskId: row.id, created: true };
    });
  }

  /** Records that the worker has stored the task. Idempotent; also called after a restart of the hub. */
  accept({ taskId, workerId }: Omit<Assignment, 'generation'>, sessionId: string): Promise<Transition> {
    return this.#store.run(async (unit) => {
      const now = this.#clock.now();
      const leaseUntil = now + this.#timings.leaseMs;
      const updateToRunning = (status: (typeof inFlightStatuses)[number]) =>
        unit.trx
          .updateTable('tasks')
          .set({
            status: 'running',
            session_id: sessionId,
            lease_until: leaseUntil,
            updated_at: now,
            ...(status === 'assigned' && { accepted_at: now }),
          })
          .where('id', '=', taskId)
          .where('worker_id', '=', workerId)
          .where('status', '=', status)
          .returningAll()
          .executeTakeFirst();
      const startedTask = await updateToRunning('assigned');
      if (startedTask) {
        const { generation } = startedTask;
        if (generation > 1 && !(await continuesAttempt(unit, { taskId, workerId })))
          await resetDelivery(unit, startedTask);
        await beginAttempt(unit, { taskId, workerId, generation }, now);
        this.#emit(unit, startedTask, 'accepted');
      }
      const task = startedTask ?? (await updateToRunning('running'));
      if (!task) return refuse(await this.#read(unit, taskId), workerId);
      unit.announce({ kind: 'due', atMs: task.lease_until });
      return { ok: true, task };
    });
  }

  /**
   * Accepts the result of a task. Returns `duplicate` if the same result was accepted before; the caller then
   * acknowledges it again.
   */
  complete(assignment: Assignment, reported: ReportedResult): Promise<Transition> {
    return this.#store.run(async (unit) => {
      const now = this.#clock.now();
      const columns = outcomeColumnsOf(reported);
      const done = { ...columns, error: null, finished_at: now, updated_at: now };
      const task = await this.#finish(unit, assignment, done, {
        ending: columns.status,
        use: reportedUsageOf(reported),
      });
      if (!task) {
        const { taskId, workerId, generation } = assignment;
        // A late result does not count, but the usage that it reports does.
        await this.#addLateUsage(unit, assignment, reportedUsageOf(reported));
        return refuse(await this.#read(unit, taskId), workerId, { generation, ends: ['success', 'partial'] });
      }
      await expireApprovals(unit, task, now);
      this.#emit(unit, task, 'completed');
      unit.announce({ kind: 'queue' });
      return { ok: true, task };
    });
  }

  /**
   * Records a failure: requeues the task after a backoff, or makes it a dead letter if its attempts are used up or the
   * error code is final. `countsAttempt: false`: the worker was busy, or returned a task that it had begun, which may
   * happen as often as a worker may be lost.
   */
  fail(
    assignment: Assignment,
    error: string,
    options: { reported?: ReportedResult; countsAttempt?: boolean } = {},
  ): Promise<Transition> {
    return this.#store.run(async (unit) => {
      const current = await this.#read(unit, assignment.taskId);
      if (!current) return { ok: false, reason: 'not_found' };
      const now = this.#clock.now();
      const { reported, countsAttempt = true } = options;
      const failures = current.failures + (countsAttempt ? 1 : 0);
      const isReturned = !countsAttempt && current.status === 'running';
      const reclaims = current.reclaims + (isReturned ? 1 : 0);
      const isDead =
        isFinalFailure(error) ||
        failures >= current.max_attempts ||
        reclaims > current.max_attempts * this.#timings.reclaimsPerAttempt;
      const notBefore = now + computeRetryDelay(failures, this.#timings, this.#random);
      const use = reported && reportedUsageOf(reported);
      const ending = isReturned ? 'given_back' : 'failed';
      const failed = {
        ...(reported?.result ? outcomeColumnsOf(reported) : {}),
        status: isDead ? ('dead_letter' as const) : ('queued' as const),
        failures,
        reclaims,
        error,
        not_before: isDead ? current.not_before : notBefore,
        preferred_worker: null,
        preferred_until: 0,
        finished_at: isDead ? now : null,
        updated_at: now,
        ...(!isDead && { worker_id: null, accepted_at: null }),
      };
      const task = await this.#finish(
        unit,
        assignment,
        failed,
        (countsAttempt || isReturned) && { ending, error, use },
      );
      if (!task) {
        if (use) await this.#addLateUsage(unit, assignment, use);
        const { workerId, generation } = assignment;
        return refuse(current, workerId, { generation, ends: ['dead_letter'] });
      }
      await expireApprovals(unit, task, now);
      this.#emit(unit, task, isDead ? 'dead_letter' : 'retry');
      if (!isDead) unit.announce({ kind: 'due', atMs: notBefore });
      unit.announce({ kind: 'worker', agentId: assignment.workerId });
      unit.announce({ kind: 'queue' });
      return { ok: true, task };
    });
  }

  /** Cancels a task that has not ended and notifies its worker. */
  cancel(taskId: string, reason?: string): Promise<Transition> {
    return this.#store.run(async (unit) => {
      const now = this.#clock.now();
      const ended = { finished_at: now, updated_at: now, session_id: null };
      const cancelled = await unit.trx
        .updateTable('tasks')
        .set({ status: 'cancelled', error: reason ?? null, ...ended })
        .where('id', '=', taskId)
        .where('status', 'in', openStatuses)
        .returningAll()
        .executeTakeFirst();
      if (!cancelled) return refuse(await this.#read(unit, taskId));
      const { generation } = cancelled;
      const task = await endAttempt(unit, { taskId, generation }, { ending: 'cancelled', at: now });
      await expireApprovals(unit, task, now);
      this.#emit(unit, task, 'cancelled');
      if (task.worker_id !== null) {
        unit.announce({ kind: 'cancelled', taskId, agentId: task.worker_id, ...(reason && { reason }) });
      }
      unit.announce({ kind: 'queue' });
      return { ok: true, task };
    });
  }

  /** Requeues a dead letter or a cancelled task and resets its failure counters. */
  retry(taskId: string): Promise<Transition> {
    return this.#store.run(async (unit) => {
      const now = this.#clock.now();
      const task = await unit.trx
        .updateTable('tasks')
        .set((eb) => ({
          status: 'queued',
          failures: 0,
          reclaims: 0,
          not_before: 0,
          worker_id: null,
          accepted_at: null,
          finished_at: null,
          updated_at: now,
          generation: eb('generation', '+', 1),
        }))
        .where('id', '=', taskId)
        .where('status', 'in', ['dead_letter', 'cancelled'])
        .returningAll()
        .executeTakeFirst();
      if (!task) return refuse(await this.#read(unit, taskId));
      this.#emit(unit, task, 'retry');
      unit.announce({ kind: 'queue' });
      return { ok: true, task };
    });
  }

  /** Adds the usage of a worker that no longer has the task. Returns false if the worker never had it. */
  addLateUsage(about: Omit<Assignment, 'generation'>, use: UsageOfAttempt): Promise<boolean> {
    return this.#store.run((unit) => this.#addLateUsage(unit, about, use));
  }

  /** Returns the attempts at a task, oldest first. */
  listAttempts(taskId: string): Promise<AttemptRow[]> {
    return this.#store.db
      .selectFrom('attempts')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('generation')
      .execute();
  }

  /** Returns the task with its long texts. */
  async get(taskId: string): Promise<TaskRow | undefined> {
    return this.#store.db
      .selectFrom('tasks')
      .innerJoin('task_texts', 'task_id', 'id')
      .selectAll('tasks')
      .select(['content', 'result', 'verification_report'])
      .where('id', '=', taskId)
      .executeTakeFirst();
  }

  readHead(taskId: string): Promise<TaskHead | undefined> {
    return this.#read({ trx: this.#store.db }, taskId);
  }

  #createRow(submission: Submission, by: Omit<SubmissionContext, 'now' | 'maxAttempts'>): NewTaskRow {
    return createTaskRow(submission, {
      ...by,
      now: this.#clock.now(),
      maxAttempts: this.#timings.maxAttempts,
    });
  }

  async #insert(unit: UnitOfWork, { content, ...row }: NewTaskRow): Promise<TaskHead | undefined> {
    const task = await unit.trx
      .insertInto('tasks')
      .values(row)
      .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!task) return undefined;
    await unit.trx.insertInto('task_texts').values({ task_id: task.id, content }).execute();
    this.#emit(unit, task, 'submitted');
    if (task.not_before > task.created_at) unit.announce({ kind: 'due', atMs: task.not_before });
    unit.announce({ kind: 'queue' });
    return task;
  }

  /** Ends an assignment with the given columns. `attempt` is false if the worker refused the task, which is no attempt. */
  async #finish(
    unit: UnitOfWork,
    { taskId, workerId, generation }: Assignment,
    { result, verification_report, ...set }: Partial<TaskRow>,
    attempt: { ending: AttemptEnding; error?: string; use?: UsageOfAttempt | undefined } | false,
  ): Promise<TaskHead | undefined> {
    const { trx } = unit;
    const task = await trx
      .updateTable('tasks')
      .set({ ...set, session_id: null })
      .where('id', '=', taskId)
      .where('worker_id', '=', workerId)
      .where('generation', '=', generation)
      .where('status', 'in', inFlightStatuses)
      .returningAll()
      .executeTakeFirst();
    if (task && result !== undefined) {
      const texts = { result, verification_report };
      await trx.updateTable('task_texts').set(texts).where('task_id', '=', taskId).execute();
    }
    if (!task || !attempt) return task;
    const now = this.#clock.now();
    const attemptKey = { taskId, workerId, generation };
    await beginAttempt(unit, attemptKey, task.assigned_at ?? now);
    if (attempt.use) await addUsage(unit, attemptKey, attempt.use, now);
    return endAttempt(unit, attemptKey, { ...attempt, at: now });
  }

  async #addLateUsage(
    unit: UnitOfWork,
    { taskId, workerId, generation }: Omit<Assignment, 'generation'> & { generation?: number },
    use: UsageOfAttempt,
  ): Promise<boolean> {
    const added = await addUsage(unit, { taskId, workerId, generation }, use, this.#clock.now());
    if (added?.hasGrown) this.#emit(unit, added.task, 'figures');
    return added !== undefined;
  }

  #read({ trx }: { trx: HubStore['db'] }, taskId: string) {
    return trx.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirst();
  }

  #emit(unit: UnitOfWork, task: TaskHead, reason: string): void {
    recordTaskEvent(unit, task, reason, this.#clock.now());
  }
}

/**
 * Returns why a conditional UPDATE matched no row. Without `generation`, any assignment of this worker counts as current.
 * `ends`: the states that the message leads to. If the task is in one of them, the message is a duplicate, else late.
 */
function refuse(
  task: TaskHead | undefined,
  workerId?: string,
  message: { generation?: number; ends?: readonly TaskStatus[] } = {},
): Transition {
  if (!task) return { ok: false, reason: 'not_found' };
  const { generation = task.generation, ends = [] } = message;
  if (task.generation !== generation) return { ok: false, reason: 'stale_generation', task };
  if (ends.includes(task.status) && task.worker_id === workerId)
    return { ok: false, reason: 'duplicate', task };
  if (task.worker_id !== workerId) return { ok: false, reason: 'stale_generation', task };
  return { ok: false, reason: 'invalid_state', task };
}
