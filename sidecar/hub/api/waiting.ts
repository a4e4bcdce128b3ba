/** Describes why a queued task has not started. Pure. */
import { findBlockingBudget, describeBudget } from '../queue/budgets.ts';
import type { BudgetUse } from '../queue/budgets.ts';
import { readRequirement, meetsRequirement } from '../queue/requirements.ts';
import type { WorkerView } from '../queue/views.ts';
import type { TaskHead } from '../storage/tables.ts';

type WaitingTask = Pick<
  TaskHead,
  'status' | 'not_before' | 'failures' | 'requirement' | 'submitted_by' | 'repo'
>;
interface HubState {
  workers: readonly WorkerView[];
  /** Budgets that are exhausted today. */
  usedUp: readonly BudgetUse[];
  nowMs: number;
}

const MAX_NAMED_MODELS = 8;

/** Returns what a queued task waits for; null if the task is not queued. */
export function findWaitingReason(task: WaitingTask, { workers, usedUp, nowMs }: HubState): string | null {
  if (task.status !== 'queued') return null;
  if (task.not_before > nowMs) return task.failures > 0 ? 'its next attempt' : 'its start time';
  const budget = findBlockingBudget(task, usedUp);
  if (budget) return describeBudget(budget);
  const connected = workers.filter((worker) => worker.connected);
  if (connected.length === 0) return 'a worker: none is connected';
  const requirement = readRequirement(task.requirement);
  const fittingWorkers = connected.filter((one) =>
    meetsRequirement(requirement, { ...one, workerId: one.agent_id }),
  );
  const refusalReasonOf = (one: WorkerView) => one.not_ready ?? (requirement.model ? null : one.needs_model);
  const [first] = fittingWorkers;
  if (first && fittingWorkers.every((one) => refusalReasonOf(one) !== null)) {
    return `a ready worker: ${first.agent_id} reports ${refusalReasonOf(first)}`;
  }
  if (fittingWorkers.length > 0) {
    return fittingWorkers.every((one) => one.draining)
      ? 'a worker that is not draining'
      : 'a worker with free capacity';
  }
  const { labels, model, agentId } = requirement;
  const requirementTexts = [
    ...(agentId ? [`named ${agentId}`] : []),
    ...(labels.length > 0 ? [`with the labels ${labels.join(', ')}`] : []),
  ];
  const workersWithoutModel = connected.filter((one) =>
    meetsRequirement({ labels, ...(agentId && { agentId }) }, { ...one, workerId: one.agent_id }),
  );
  if (model && workersWithoutModel.length > 0)
    return describeMissingModel(model, requirementTexts.join(' and '), workersWithoutModel);
  return `a worker ${[...requirementTexts, ...(model ? [`with the model ${model}`] : [])].join(' and ')}: none is connected`;
}

/** Describes a missing model, and the models of the workers that meet the other requirements. */
function describeMissingModel(
  model: string,
  requirementText: string,
  workers: readonly WorkerView[],
): string {
  const names = [...new Set(workers.flatMap((worker) => worker.models))].toSorted();
  const more = names.length - MAX_NAMED_MODELS;
  const shownModels = names.slice(0, MAX_NAMED_MODELS).join(', ');
  const modelsText =
    names.length === 0
      ? 'no models are reported'
      : `available: ${shownModels}${more > 0 ? ` and ${more} more` : ''}`;
  return `a worker with the model ${model.replace(/:latest$/u, '')}: no connected worker${requirementText === '' ? '' : ` ${requirementText}`} has it (${modelsText})`;
}
