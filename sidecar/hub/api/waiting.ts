/** Describes why a queued task has not started. Pure. */
import { budgetInTheWay, budgetReason } from '../queue/budgets.ts';
import type { BudgetUse } from '../queue/budgets.ts';
import { readRequirement, suits } from '../queue/requirements.ts';
import type { WorkerView } from '../queue/views.ts';
import type { TaskHead } from '../storage/tables.ts';

type WaitingTask = Pick<
  TaskHead,
  'status' | 'not_before' | 'failures' | 'requirement' | 'submitted_by' | 'repo'
>;
interface HubState {
  workers: readonly WorkerView[];
  /** Budgets that are used up today. */
  usedUp: readonly BudgetUse[];
  nowMs: number;
}

const MAX_NAMED_MODELS = 8;

/** Returns what a queued task waits for; null if it is not queued. */
export function waitingReason(task: WaitingTask, { workers, usedUp, nowMs }: HubState): string | null {
  if (task.status !== 'queued') return null;
  if (task.not_before > nowMs) return task.failures > 0 ? 'its next attempt' : 'its start time';
  const budget = budgetInTheWay(task, usedUp);
  if (budget) return budgetReason(budget);
  const connected = workers.filter((worker) => worker.connected);
  if (connected.length === 0) return 'a worker: none is connected';
  const requirement = readRequirement(task.requirement);
  const fitting = connected.filter((one) => suits(requirement, { ...one, agentId: one.agent_id }));
  const whyNot = (one: WorkerView) => one.not_ready ?? (requirement.model ? null : one.needs_model);
  const [first] = fitting;
  if (first && fitting.every((one) => whyNot(one) !== null)) {
    return `a ready worker: ${first.agent_id} reports ${whyNot(first)}`;
  }
  if (fitting.length > 0) {
    return fitting.every((one) => one.draining)
      ? 'a worker that is not draining'
      : 'a worker with free capacity';
  }
  const { labels, model, agentId } = requirement;
  const wants = [
    ...(agentId ? [`named ${agentId}`] : []),
    ...(labels.length > 0 ? [`with the labels ${labels.join(', ')}`] : []),
  ];
  const able = connected.filter((one) =>
    suits({ labels, ...(agentId && { agentId }) }, { ...one, agentId: one.agent_id }),
  );
  if (model && able.length > 0) return describeMissingModel(model, wants.join(' and '), able);
  return `a worker ${[...wants, ...(model ? [`with the model ${model}`] : [])].join(' and ')}: none is connected`;
}

/** Describes a missing model and the models of the workers that fit otherwise. */
function describeMissingModel(model: string, wants: string, workers: readonly WorkerView[]): string {
  const names = [...new Set(workers.flatMap((worker) => worker.models))].toSorted();
  const more = names.length - MAX_NAMED_MODELS;
  const shown = names.slice(0, MAX_NAMED_MODELS).join(', ');
  const have =
    names.length === 0
      ? 'none has reported a model'
      : `they have ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  return `a worker with the model ${model.replace(/:latest$/u, '')}: no connected worker${wants === '' ? '' : ` ${wants}`} has it (${have})`;
}
