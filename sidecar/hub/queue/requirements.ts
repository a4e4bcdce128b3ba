/**
 * The requirements of a task, and the choice of its worker. Pure. Requirements are stored as canonical JSON, so that
 * one index finds all tasks with the same needs.
 */

/** The needs of one task. A task without needs has `{ labels: [] }`. */
export interface Requirement {
  labels: string[];
  model?: string;
  /** The only worker that may run the task. */
  agentId?: string;
}

export interface WorkerCandidate {
  workerId: string;
  labels: readonly string[];
  /** Models that the worker can use. Empty before the worker's first report, so that no task with a model fits. */
  models: readonly string[];
  /** True if the worker takes only tasks that name a model. */
  needsModel?: boolean;
  capacity: number;
  /** Number of tasks that the worker has. */
  load: number;
  /** True if the worker gets no new tasks, but only those that it had before its connection was lost. */
  isDraining?: boolean;
  /** Time of the last assignment, in milliseconds; among equals the longest idle worker is chosen. */
  lastAssignedAtMs: number;
}

/** Returns the canonical text of a requirement: equal needs have equal texts. */
export function requirementKeyOf({ labels, model, agentId }: Requirement): string {
  return JSON.stringify({
    labels: [...new Set(labels)].sort(),
    ...(model && { model: fullModelNameOf(model) }),
    ...(agentId && { agentId }),
  });
}

export const readRequirement = (key: string): Requirement => JSON.parse(key) as Requirement;

/** Adds the default tag: `qwen3` and `qwen3:latest` are the same model in Ollama. */
const fullModelNameOf = (model: string): string => (model.includes(':') ? model : `${model}:latest`);

/** Compares model names without case, as Ollama does. */
const isSameModel = (one: string, other: string): boolean =>
  fullModelNameOf(one).toLowerCase() === fullModelNameOf(other).toLowerCase();

/** Returns whether the worker meets the requirement, no matter how busy it is. */
export function meetsRequirement(
  requirement: Requirement,
  worker: Pick<WorkerCandidate, 'workerId' | 'labels' | 'models' | 'needsModel'>,
): boolean {
  const { labels, model, agentId } = requirement;
  if (agentId && agentId !== worker.workerId) return false;
  if (!labels.every((label) => worker.labels.includes(label))) return false;
  return model ? worker.models.some((one) => isSameModel(one, model)) : !worker.needsModel;
}

/**
 * Chooses a worker with free capacity: the preferred one; else, among those that do not drain, the one with the lowest
 * load per capacity, then with the fewest labels (specialists stay free), then the longest idle.
 */
export function chooseWorker<W extends WorkerCandidate>(
  requirement: Requirement,
  workers: readonly W[],
  preferred?: string | null,
): W | undefined {
  const ableWorkers = workers.filter((one) => one.load < one.capacity && meetsRequirement(requirement, one));
  return (
    ableWorkers.find(({ workerId }) => workerId === preferred) ??
    ableWorkers
      .filter(({ isDraining }) => !isDraining)
      .reduce<W | undefined>(
        (best, one) => (best && compareCandidates(best, one) <= 0 ? best : one),
        undefined,
      )
  );
}

function compareCandidates(a: WorkerCandidate, b: WorkerCandidate): number {
  return (
    a.load / a.capacity - b.load / b.capacity ||
    a.labels.length - b.labels.length ||
    a.lastAssignedAtMs - b.lastAssignedAtMs
  );
}
