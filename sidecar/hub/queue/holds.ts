/** Tasks on hold: running tasks that wait on their worker, because its model server is down. */
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { recordTaskEvent } from './task-events.ts';

const MAX_REASON_CHARS = 500;

/** Records that a task is on hold, or has resumed (an empty `reason`). */
export async function recordHold(
  unit: UnitOfWork,
  { taskId, agentId, generation }: { taskId: string; agentId: string; generation: number },
  reason: string,
  at: number,
): Promise<void> {
  const isOnHold = reason !== '';
  const task = await unit.trx
    .updateTable('tasks')
    .set({
      hold_reason: isOnHold ? reason.slice(0, MAX_REASON_CHARS) : null,
      hold_since: isOnHold ? at : null,
      updated_at: at,
    })
    .where('id', '=', taskId)
    .where('worker_id', '=', agentId)
    .where('generation', '=', generation)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (task) recordTaskEvent(unit, task, 'hold', at);
}
