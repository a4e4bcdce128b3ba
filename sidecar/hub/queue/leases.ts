/**
 * Leases: each assignment has one. Messages of its worker renew it; when it expires, the task returns to the queue with
 * a higher generation. Nothing polls: `findNextDue` returns the time of the next check.
 */
import { hasPreferredWorker, isInFlight, isQueued } from '../storage/conditions.ts';
import type { TaskHead } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { endAttempt } from './attempts.ts';
import type { AttemptEnding } from './attempts.ts';
import { expireApprovals } from './conversations.ts';
import { recordTaskEvent } from './task-events.ts';
import type { QueueContext } from './timings.ts';

export class Leases {
  readonly #options: QueueContext;

  constructor(options: QueueContext) {
    this.#options = options;
  }

  /**
   * Renews the leases of running tasks after messages of their workers. Stores `progress`, a figure that the worker
   * defines.
   */
  async renew(progressed: ReadonlyMap<string, { workerId: string; progress?: number }>): Promise<void> {
    if (progressed.size === 0) return;
    const leaseUntil = this.#options.clock.now() + this.#options.timings.leaseMs;
    await this.#options.store.run(async ({ trx }) => {
      for (const [taskId, { workerId, progress }] of progressed) {
        await trx
          .updateTable('tasks')
          .set({ lease_until: leaseUntil, ...(progress !== undefined && { progress }) })
          .where('id', '=', taskId)
          .where('worker_id', '=', workerId)
          .where('status', '=', 'running')
          .execute();
      }
    });
  }

  /** Confirms an assignment that a worker claims. The worker then has the accept timeout to send `task_accepted`. */
  confirm(claim: { taskId: string; workerId: string; generation?: number }, sessionId: string) {
    const { clock, timings, store } = this.#options;
    return store.run(async (unit): Promise<TaskHead | undefined> => {
      const leaseUntil = clock.now() + timings.acceptTimeoutMs;
      let update = unit.trx
        .updateTable('tasks')
        .set({ session_id: sessionId, lease_until: leaseUntil })
        .where('id', '=', claim.taskId)
        .where('worker_id', '=', claim.workerId)
        .where(isInFlight);
      if (claim.generation !== undefined) update = update.where('generation', '=', claim.generation);
      const task = await update.returningAll().executeTakeFirst();
      if (task) unit.announce({ kind: 'due', atMs: leaseUntil });
      return task;
    });
  }

  /**
   * Shortens the leases of assignments that a killed hub process made to a reconnected worker: the worker retains
   * only those that it claims soon. An assignment that never arrived would otherwise occupy a slot until its lease ends.
   */
  async awaitClaims(workerId: string, sessionId: string): Promise<void> {
    const { store, clock, timings } = this.#options;
    await store.run(async (unit) => {
      const leaseUntil = clock.now() + timings.claimMs;
      const { numUpdatedRows } = await unit.trx
        .updateTable('tasks')
        .set({ lease_until: leaseUntil })
        .where('worker_id', '=', workerId)
        .where('session_id', '!=', sessionId)
        .where(isInFlight)
        .where('lease_until', '>', leaseUntil)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) unit.announce({ kind: 'due', atMs: leaseUntil });
    });
  }

  /** Requeues the tasks of a lost connection and prefers the same worker for them for a while. Returns their number. */
  async onConnectionLost(workerId: string, sessionId: string): Promise<number> {
    const { store, clock } = this.#options;
    return store.run(async (unit) => {
      const now = clock.now();
      const lostTasks = await unit.trx
        .selectFrom('tasks')
        .selectAll()
        .where('worker_id', '=', workerId)
        .where('session_id', '=', sessionId)
        .where(isInFlight)
        .execute();
      for (const task of lostTasks) {
        await this.#requeue(unit, task, { reason: 'worker_lost', preferred: workerId, now });
      }
      return lostTasks.length;
    });
  }

  /** Requeues a task whose assignment could not be delivered. */
  async requeueUndelivered(task: TaskHead): Promise<void> {
    const now = this.#options.clock.now();
    await this.#options.store.run((unit) =>
      this.#requeue(unit, task, { reason: 'worker_lost', preferred: task.worker_id, now }),
    );
  }

  /** Requeues the tasks whose lease has expired. Returns their number. */
  async expire(): Promise<number> {
    const { store, clock } = this.#options;
    return store.run(async (unit) => {
      const now = clock.now();
      const dueTasks = await unit.trx
        .selectFrom('tasks')
        .selectAll()
        .where(isInFlight)
        .where('lease_until', '<=', now)
        .limit(500)
        .execute();
      for (const task of dueTasks) {
        const reason = task.status === 'assigned' ? 'not_accepted' : 'lease_expired';
        await this.#requeue(unit, task, { reason, preferred: null, now });
      }
      return dueTasks.length;
    });
  }

  /**
   * Extends all leases to at least the accept timeout, so that workers can reconnect: after a start, and after a time in
   * which no worker could renew its lease.
   */
  async extendAfterOutage(): Promise<void> {
    const { store, clock, timings } = this.#options;
    const leaseUntil = clock.now() + timings.acceptTimeoutMs;
    await store.db
      .updateTable('tasks')
      .set({ lease_until: leaseUntil })
      .where(isInFlight)
      .where('lease_until', '<', leaseUntil)
      .execute();
  }

  /**
   * Returns the next time at which a lease, a delayed start or a worker's precedence ends; Infinity if there is none.
   */
  async findNextDue(): Promise<number> {
    const { db } = this.#options.store;
    const now = this.#options.clock.now();
    const selectFirst = (column: 'lease_until' | 'not_before' | 'preferred_until') =>
      db.selectFrom('tasks').select((eb) => eb.fn.min(column).as('at'));
    const times = await Promise.all([
      selectFirst('lease_until').where(isInFlight).executeTakeFirst(),
      selectFirst('not_before').where(isQueued).where('not_before', '>', now).executeTakeFirst(),
      selectFirst('preferred_until')
        .where(isQueued)
        .where(hasPreferredWorker)
        .where('preferred_until', '>', now)
        .executeTakeFirst(),
    ]);
    return Math.min(...times.map((row) => row?.at ?? Infinity));
  }

  async #requeue(
    unit: UnitOfWork,
    task: TaskHead,
    change: { reason: AttemptEnding; preferred: string | null; now: number },
  ): Promise<void> {
    const { timings } = this.#options;
    const reclaims = task.reclaims + 1;
    const isDead = reclaims > task.max_attempts * timings.reclaimsPerAttempt;
    const released = await unit.trx
      .updateTable('tasks')
      .set({
        status: isDead ? 'dead_letter' : 'queued',
        generation: task.generation + 1,
        reclaims,
        worker_id: null,
        session_id: null,
        preferred_worker: change.preferred,
        preferred_until: change.preferred ? change.now + timings.preferenceMs : 0,
        updated_at: change.now,
        ...(isDead
          ? {
              finished_at: change.now,
              error: `the worker disconnected or did not respond ${reclaims} times; check the worker's log, then retry the task`,
            }
          : { accepted_at: null }),
      })
      .where('id', '=', task.id)
      .where('generation', '=', task.generation)
      .where(isInFlight)
      .returningAll()
      .executeTakeFirst();
    if (!released) return;
    const endedTask = await endAttempt(
      unit,
      { taskId: task.id, generation: task.generation },
      { ending: change.reason, at: change.now },
    );
    await expireApprovals(unit, endedTask, change.now);
    recordTaskEvent(unit, endedTask, isDead ? 'dead_letter' : change.reason, change.now);
    unit.announce({ kind: 'queue' });
    if (endedTask.preferred_until > 0) unit.announce({ kind: 'due', atMs: endedTask.preferred_until });
    if (task.worker_id) unit.announce({ kind: 'worker', agentId: task.worker_id });
  }
}
