/** Why a task that is queued has not begun, in words. Pure. */
import { budgetInTheWay, budgetReason } from '../queue/budgets.ts';
import type { BudgetUse } from '../queue/budgets.ts';
import { readRequirement, suits } from '../queue/requirements.ts';
import type { WorkerView } from '../queue/views.ts';
import type { TaskHead } from '../storage/tables.ts';

type Queued = Pick<TaskHead, 'status' | 'not_before' | 'failures' | 'requirement' | 'submitted_by' | 'repo'>;
interface Hub {
  workers: readonly WorkerView[];
  /** Budgets of which nothing is left today. */
  usedUp: readonly BudgetUse[];
  nowMs: number;
}

/** Null where the task is not waiting. */
export function waitingReason(task: Queued, { workers, usedUp, nowMs }: Hub): string | null {
  if (task.status !== 'queued') return null;
  if (task.not_before > nowMs)
    return task.failures > 0 ? 'the wait before the next attempt' : 'its start time';
  const budget = budgetInTheWay(task, usedUp);
  if (budget) return budgetReason(budget);
  const connected = workers.filter((worker) => worker.connected);
  if (connected.length === 0) return 'a worker: none is connected';
  const requirement = readRequirement(task.requirement);
  const fitting = connected.filter((one) => suits(requirement, { ...one, agentId: one.agent_id }));
  const unready = fitting.find((one) => one.not_ready !== null);
  if (unready && fitting.every((one) => one.not_ready !== null)) {
    return `a worker that can work: ${unready.agent_id} says ${unready.not_ready}`;
  }
  if (fitting.length > 0) {
    return fitting.every((one) => one.draining) ? 'a worker that is not draining' : 'room on a worker';
  }
  const { labels, model, agentId } = requirement;
  const wants = [
    ...(agentId ? [`named ${agentId}`] : []),
    ...(labels.length > 0 ? [`with the labels ${labels.join(', ')}`] : []),
    ...(model ? [`with the model ${model}`] : []),
  ];
  return `a worker ${wants.join(' and ')}: none is connected`;
}
