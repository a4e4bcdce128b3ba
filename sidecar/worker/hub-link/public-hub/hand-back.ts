/**
 * Hands back tasks on the public hub that only another worker can do. The hub gives such a task to the first free
 * worker, counts each refusal as an attempt, and gives up after three. The tasks of an ended connection are taken back
 * without an attempt. So this worker disconnects for a moment if another connected worker was not offered the task. If
 * there is no such worker, this worker refuses the task late, or earlier if other tasks wait.
 */
import { isRecord } from '../../../base/values/json.ts';
import type { MisfitTask } from '../hub-adapter.ts';
import type { LinkTarget } from '../incoming.ts';
import type { WorkerIdentity } from '../types.ts';
import type { PublicHubAgent, PublicHubTask, PublicHubApi } from './hub-api.ts';

/** How long a refusal waits for a suitable worker to connect. Less than the minute after which the hub takes the task back by itself. */
const REFUSE_AFTER_MS = 40_000;
/** Interval at which waiting tasks and connected workers are read; also the minimum time to a refusal. */
const POLL_MS = 2_000;

interface MisfitReturnsOptions {
  link: LinkTarget;
  identity: WorkerIdentity;
  api: PublicHubApi;
  leaveHub: (cause: string) => void;
}

interface WaitingMisfit extends MisfitTask {
  sinceMs: number;
  cancel: () => void;
}

export class MisfitReturns {
  readonly #parts: MisfitReturnsOptions;
  readonly #waitingMisfits = new Map<string, WaitingMisfit>();
  /** Ids of the tasks that were handed back since `giveBack` last returned all assigned tasks. */
  readonly returnedTaskIds = new Set<string>();

  constructor(parts: MisfitReturnsOptions) {
    this.#parts = parts;
  }

  /** Begins to hand back a task; replaces an earlier hand-back of the same task. */
  add(misfit: MisfitTask): void {
    const { clock, log } = this.#parts.link;
    const { taskId, error } = misfit;
    this.#waitingMisfits.get(taskId)?.cancel();
    log?.info(
      { task_id: taskId, error },
      'Returning the task to the hub later, so that another worker can take it first',
    );
    const waitingTask = { ...misfit, sinceMs: clock.monotonicMs(), cancel: () => undefined };
    this.#waitingMisfits.set(taskId, waitingTask);
    this.returnedTaskIds.add(taskId);
    void this.#poll(waitingTask);
  }

  /** Forgets all tasks after the connection is lost: the hub has taken them back. */
  forgetAll(): void {
    for (const { cancel } of this.#waitingMisfits.values()) cancel();
    this.#waitingMisfits.clear();
  }

  async #poll(waitingTask: WaitingMisfit): Promise<void> {
    const { taskId } = waitingTask;
    const { api, identity, link } = this.#parts;
    const [task, agents, queued] = await Promise.all([
      api.getTask(taskId),
      api.listAgents(),
      api.listQueued(),
    ]);
    const { workerId, capabilities = [] } = identity;
    const isElsewhere = task.ok && task.value.assigned_to !== workerId;
    if (this.#waitingMisfits.get(taskId) !== waitingTask) return;
    const mayGoElsewhere = task.ok && agents.ok && hasOtherCandidate(task.value, agents.value, workerId);
    // Matches tasks that this worker may get: it has their capabilities, and their tier needs no other kind of worker.
    const isForThisWorker = (one: PublicHubTask) =>
      one.complexity?.effective_tier !== 'complex' && hasCapabilitiesFor(one, capabilities);
    const hasOthersBehind = queued.ok && queued.value.some(isForThisWorker);
    const limitMs = hasOthersBehind && !mayGoElsewhere ? POLL_MS : REFUSE_AFTER_MS;
    if (isElsewhere) this.#waitingMisfits.delete(taskId);
    else link.runSafely(() => this.#decide(waitingTask, mayGoElsewhere, limitMs));
  }

  #decide(waitingTask: WaitingMisfit, mayGoElsewhere: boolean, limitMs: number): void {
    const { link, leaveHub } = this.#parts;
    const { taskId, error, refuse, sinceMs } = waitingTask;
    if (mayGoElsewhere && !link.outgoing.isBusy)
      leaveHub(`disconnected so that another worker can take the task: ${error}`);
    else if (link.clock.monotonicMs() - sinceMs < limitMs)
      waitingTask.cancel = link.clock.schedule(POLL_MS, () => void this.#poll(waitingTask));
    else {
      this.#waitingMisfits.delete(taskId);
      refuse();
    }
  }
}

const hasCapabilitiesFor = (
  { needed_capabilities: needed }: PublicHubTask,
  labels: readonly string[],
): boolean => (needed ?? []).every((label) => labels.includes(label));

/** Returns whether another connected worker could get the task and was not offered it yet. */
function hasOtherCandidate(task: PublicHubTask, agents: readonly PublicHubAgent[], agentId: string): boolean {
  const offeredAgentIds = new Set<unknown>([agentId]);
  for (const { event, details } of task.history ?? [])
    if (event === 'assigned' && isRecord(details)) offeredAgentIds.add(details.agent_id);
  return agents.some(({ agent_id: id, capabilities }) => {
    const labels = (capabilities ?? []).map(({ name }) => name);
    return !offeredAgentIds.has(id) && hasCapabilitiesFor(task, labels);
  });
}
