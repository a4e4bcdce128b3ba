/**
 * The requirements of a task, and which worker gets it. Pure: the dispatcher feeds it and acts on it.
 * Requirements are stored as canonical text, so that one index finds all tasks with the same needs.
 */

/** Needs of one task; nothing needed is `{ labels: [] }`. */
export interface Requirement {
  labels: string[];
  model?: string;
  /** Only this worker may run it. */
  agentId?: string;
}

export interface Candidate {
  agentId: string;
  labels: readonly string[];
  /** Models that it can use; empty while it has not reported, which fits no task that names one. */
  models: readonly string[];
  capacity: number;
  /** Tasks it has now. */
  load: number;
  /** It gets no new task, only what it had before its connection was lost. */
  isDraining?: boolean;
  /** When it last got a task, in milliseconds; the longest idle goes first among equals. */
  lastAssignedAtMs: number;
}

/** Same needs, same text. */
export function requirementKey({ labels, model, agentId }: Requirement): string {
  return JSON.stringify({
    labels: [...new Set(labels)].sort(),
    ...(model && { model: modelName(model) }),
    ...(agentId && { agentId }),
  });
}

export const readRequirement = (key: string): Requirement => JSON.parse(key) as Requirement;

/** `qwen3` and `qwen3:latest` are one model to Ollama. */
const modelName = (model: string): string => (model.includes(':') ? model : `${model}:latest`);

/** So are `qwen3` and `Qwen3`. */
const isSameModel = (one: string, other: string): boolean =>
  modelName(one).toLowerCase() === modelName(other).toLowerCase();

/** Whether the worker could run such a task at all, however busy it is. */
export function suits(
  requirement: Requirement,
  worker: Pick<Candidate, 'agentId' | 'labels' | 'models'>,
): boolean {
  const { labels, model, agentId } = requirement;
  if (agentId && agentId !== worker.agentId) return false;
  if (!labels.every((label) => worker.labels.includes(label))) return false;
  return !model || worker.models.some((one) => isSameModel(one, model));
}

/**
 * The worker for a task among those with room: the preferred one if it is there, else of those that do not drain the least
 * loaded part of its capacity, then the one with the fewest labels (specialists stay free), then the longest idle.
 */
export function chooseWorker<W extends Candidate>(
  requirement: Requirement,
  workers: readonly W[],
  preferred?: string | null,
): W | undefined {
  const able = workers.filter((one) => one.load < one.capacity && suits(requirement, one));
  return (
    able.find(({ agentId }) => agentId === preferred) ??
    able
      .filter(({ isDraining }) => !isDraining)
      .reduce<W | undefined>((best, one) => (best && compare(best, one) <= 0 ? best : one), undefined)
  );
}

function compare(a: Candidate, b: Candidate): number {
  return (
    a.load / a.capacity - b.load / b.capacity ||
    a.labels.length - b.labels.length ||
    a.lastAssignedAtMs - b.lastAssignedAtMs
  );
}
