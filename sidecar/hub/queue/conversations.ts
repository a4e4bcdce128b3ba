/**
 * Messages of users to running tasks: answers to approval requests, and steering. Both are stored first and delivered
 * when the worker is connected, also after a reconnect.
 */
import type { Clock } from '../../base/ports.ts';
import type { ApprovalRow, SteerRow, TaskHead } from '../storage/tables.ts';
import { isInFlight, isPending } from '../storage/conditions.ts';
import type { HubStore, UnitOfWork } from '../storage/unit-of-work.ts';
import { recordTaskEvent } from './task-events.ts';
import { steerViewOf } from './views.ts';
import type { OpenRequest } from './views.ts';

/** Length limit of the request text in a task's summary. */
const MAX_SUMMARY_CHARS = 500;

export interface ApprovalRequest {
  taskId: string;
  approvalId: string;
  kind: string;
  summary: string;
}
interface ApprovalDecision {
  approvalId: string;
  decision: 'accepted' | 'rejected' | 'corrected';
  text?: string;
  by: string;
}

export class Conversations {
  readonly #store: HubStore;
  readonly #clock: Clock;

  constructor(options: { store: HubStore; clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /**
   * Stores an approval request. Returns the stored request unchanged if it exists, but reopens an expired one. Returns
   * undefined if the task is not, or no longer, assigned to this worker.
   */
  async request(request: ApprovalRequest, workerId: string): Promise<ApprovalRow | undefined> {
    return this.#store.run(async (unit) => {
      const { taskId, approvalId, kind, summary } = request;
      const task = await unit.trx
        .selectFrom('tasks')
        .select(['id', 'generation'])
        .where('id', '=', taskId)
        .where('worker_id', '=', workerId)
        .where(isInFlight)
        .executeTakeFirst();
      if (!task) return undefined;
      const fields = { task_id: taskId, approval_id: approvalId, kind, summary };
      const created = await unit.trx
        .insertInto('approvals')
        .values({ ...fields, status: 'pending', created_at: this.#clock.now() })
        .onConflict((conflict) =>
          conflict
            .columns(['task_id', 'approval_id'])
            .doUpdateSet({ status: 'pending', answered_at: null })
            .where('approvals.status', '=', 'expired'),
        )
        .returningAll()
        .executeTakeFirst();
      if (created) {
        recordApproval(unit, task, created, this.#clock.now());
        await updateAsks(unit, taskId, this.#clock.now());
        return created;
      }
      return findApproval(unit, taskId, approvalId).executeTakeFirst();
    });
  }

  /** Stores the answer to an existing request. Only the first answer counts: `changed` is false for a later one. */
  async decide(
    task: TaskHead,
    decision: ApprovalDecision,
  ): Promise<{ approval: ApprovalRow; changed: boolean }> {
    return this.#store.run(async (unit) => {
      const { approvalId, text, by } = decision;
      const taskId = task.id;
      const changedRow = await unit.trx
        .updateTable('approvals')
        .set({
          status: decision.decision,
          text: text ?? null,
          answered_at: this.#clock.now(),
          answered_by: by,
        })
        .where('task_id', '=', taskId)
        .where('approval_id', '=', approvalId)
        .where('status', '=', 'pending')
        .returningAll()
        .executeTakeFirst();
      if (changedRow) {
        recordApproval(unit, task, changedRow, this.#clock.now());
        await updateAsks(unit, taskId, this.#clock.now());
        if (task.worker_id) unit.announce({ kind: 'approval', taskId, approvalId, agentId: task.worker_id });
        return { approval: changedRow, changed: true };
      }
      return {
        approval: await findApproval(unit, taskId, approvalId).executeTakeFirstOrThrow(),
        changed: false,
      };
    });
  }

  readApproval(taskId: string, approvalId: string): Promise<ApprovalRow | undefined> {
    return findApproval({ trx: this.#store.db }, taskId, approvalId).executeTakeFirst();
  }

  listApprovals(taskId: string): Promise<ApprovalRow[]> {
    return this.#store.db
      .selectFrom('approvals')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('created_at')
      .execute();
  }

  /** Stores a user's steering text; the worker receives the text now, or after its next assignment. */
  async steer(task: TaskHead, text: string, by: string): Promise<SteerRow> {
    return this.#store.run(async (unit) => {
      const now = this.#clock.now();
      const row = await unit.trx
        .insertInto('steers')
        .values({ task_id: task.id, text, created_at: now, created_by: by })
        .returningAll()
        .executeTakeFirstOrThrow();
      unit.record({
        task_id: task.id,
        at: now,
        generation: task.generation,
        kind: 'steer',
        body: JSON.stringify(steerViewOf(row)),
      });
      if (task.worker_id) unit.announce({ kind: 'steer', taskId: task.id, agentId: task.worker_id });
      return row;
    });
  }

  listSteers(taskId: string): Promise<SteerRow[]> {
    return this.#store.db
      .selectFrom('steers')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('id')
      .execute();
  }

  /** Delivers the steering texts that are not delivered yet; `send` returns whether the connection accepted the text. */
  async deliverSteers(taskId: string, send: (text: string) => boolean): Promise<void> {
    const undelivered = (await this.listSteers(taskId)).filter((one) => one.delivered_at === null);
    for (const { id, text } of undelivered) {
      // Marked as delivered before it is sent: sent twice, a text would be two instructions; a lost text is shown in
      // the timeline.
      const { numUpdatedRows } = await this.#store.db
        .updateTable('steers')
        .set({ delivered_at: this.#clock.now() })
        .where('id', '=', id)
        .where('delivered_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n || send(text)) continue;
      await this.#store.db.updateTable('steers').set({ delivered_at: null }).where('id', '=', id).execute();
      return;
    }
  }
}

const findApproval = ({ trx }: { trx: HubStore['db'] }, taskId: string, approvalId: string) =>
  trx.selectFrom('approvals').selectAll().where('task_id', '=', taskId).where('approval_id', '=', approvalId);

type TaskGeneration = Pick<TaskHead, 'id' | 'generation'>;

/** Expires the open requests of a task that ended or lost its worker; a worker that still needs an answer asks again. */
export async function expireApprovals(unit: UnitOfWork, task: TaskGeneration, now: number): Promise<void> {
  const expired = await unit.trx
    .updateTable('approvals')
    .set({ status: 'expired', answered_at: now })
    .where('task_id', '=', task.id)
    .where('status', '=', 'pending')
    .returningAll()
    .execute();
  for (const approval of expired) recordApproval(unit, task, approval, now);
  if (expired.length > 0) await storeAsks(unit, task.id, null);
}

/** Updates the task's column `asks`, which has the oldest open request. */
async function updateAsks(unit: UnitOfWork, taskId: string, now: number): Promise<void> {
  const oldest = await unit.trx
    .selectFrom('approvals')
    .select(['approval_id', 'kind', 'summary', 'created_at as since'])
    .where('task_id', '=', taskId)
    .where(isPending)
    .orderBy('created_at')
    .orderBy('approval_id')
    .limit(1)
    .executeTakeFirst();
  const task = await storeAsks(
    unit,
    taskId,
    oldest ? { ...oldest, summary: oldest.summary.slice(0, MAX_SUMMARY_CHARS) } : null,
    now,
  );
  if (task) recordTaskEvent(unit, task, 'asks', now);
}

const storeAsks = ({ trx }: UnitOfWork, taskId: string, ask: OpenRequest | null, now?: number) =>
  trx
    .updateTable('tasks')
    .set({ asks: ask && JSON.stringify(ask), ...(now !== undefined && { updated_at: now }) })
    .where('id', '=', taskId)
    .returningAll()
    .executeTakeFirst();

/** Marks all steering texts of a task as undelivered, so that its next worker receives them. */
export async function resetDelivery({ trx }: UnitOfWork, { id }: Pick<TaskHead, 'id'>): Promise<void> {
  await trx.updateTable('steers').set({ delivered_at: null }).where('task_id', '=', id).execute();
}

function recordApproval(unit: UnitOfWork, task: TaskGeneration, approval: ApprovalRow, at: number): void {
  const { id, generation } = task;
  unit.record({ task_id: id, at, generation, kind: 'approval', body: JSON.stringify(approval) });
}
