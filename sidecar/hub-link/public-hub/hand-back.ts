/**
 * Tasks that this worker cannot do and another one may, on the public hub. That hub gives a task that is handed back to the
 * first worker that is free, counts each refusal as an attempt, and gives up after three; what is assigned to a worker whose
 * line ends it takes back without counting. So this worker leaves for a moment while a worker is there that was not offered
 * the task; it refuses late where nobody else is left, and sooner where other tasks stand behind.
 */
import type { Clock, Logger } from '../../ports.ts';
import type { WorkerIdentity } from '../types.ts';
import type { ListedTask, PublicHubApi } from './hub-api.ts';

/** A refusal waits so long, and longer the next time: until then a worker of another kind may come. Below the minute after which the hub takes the task back by itself. */
const REFUSALS_AFTER_MS = [30_000, 40_000, 50_000] as const;
/** How often it is looked what stands behind and who is there; the shortest time to a refusal. */
const LOOK_MS = 2_000;
/** How long a worker is away that gives a task back by leaving, and the jitter. */
const AWAY_MS = 10_000;
const JITTER_MS = 5_000;
const MAX_REMEMBERED = 1_000;

export interface HandBackOptions {
  identity: Pick<WorkerIdentity, 'agentId' | 'capabilities'>;
  api: Pick<PublicHubApi, 'task' | 'agents' | 'queued'>;
  clock: Clock;
  logger: Logger | undefined;
  random: () => number;
  /** Whether leaving would give other tasks or results away than these. */
  isBusy: () => boolean;
  leave: (cause: string, forMs: number) => void;
  /** Runs a refusal; a failing disk is reported and not thrown. */
  guard: (work: () => void) => void;
}

export interface Misfit {
  taskId: string;
  /** Why this worker cannot do it. */
  error: string;
  refuse: () => void;
}

interface Waiting extends Misfit {
  sinceMs: number;
  limitMs: number;
  cancel: () => void;
}

export class HandBack {
  readonly #options: HandBackOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** Refusals, by task. */
  readonly #refusals = new Map<string, number>();

  constructor(options: HandBackOptions) {
    this.#options = options;
  }

  get taskIds(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Hands the task back, in place of an earlier assignment of it. */
  add(misfit: Misfit): void {
    const { clock, logger } = this.#options;
    const { taskId, error } = misfit;
    this.drop(taskId);
    logger?.info({ task_id: taskId, error }, 'A task that another worker may do: it is handed back late');
    const count = Math.min(this.#refusals.get(taskId) ?? 0, REFUSALS_AFTER_MS.length - 1);
    const limitMs = REFUSALS_AFTER_MS[count] ?? 0;
    const waiting = { ...misfit, sinceMs: clock.monotonicMs(), limitMs, cancel: () => undefined };
    this.#waiting.set(taskId, waiting);
    void this.#look(waiting);
  }

  drop(taskId: string): void {
    this.#waiting.get(taskId)?.cancel();
    this.#waiting.delete(taskId);
  }

  /** The line is lost: the hub has taken the tasks back. */
  dropAll(): void {
    for (const taskId of this.taskIds) this.drop(taskId);
  }

  async #look(waiting: Waiting): Promise<void> {
    const { clock, isBusy, leave, random } = this.#options;
    const isOffered = await this.#isOfferedToAll(waiting.taskId);
    if (this.#waiting.get(waiting.taskId) !== waiting) return;
    if (!isOffered && !isBusy()) {
      leave(`a task for another worker: ${waiting.error}`, AWAY_MS + Math.round(random() * JITTER_MS));
      return;
    }
    const waitedMs = clock.monotonicMs() - waiting.sinceMs;
    const isDue = waitedMs >= LOOK_MS && isOffered && (await this.#hasOthersBehind());
    if (this.#waiting.get(waiting.taskId) !== waiting) return;
    if (isDue || waitedMs >= waiting.limitMs) this.#refuse(waiting);
    else waiting.cancel = clock.schedule(LOOK_MS, () => void this.#look(waiting));
  }

  #refuse({ taskId, refuse }: Waiting): void {
    this.#waiting.delete(taskId);
    const count = (this.#refusals.get(taskId) ?? 0) + 1;
    this.#refusals.delete(taskId);
    this.#refusals.set(taskId, count);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest);
    this.#options.guard(refuse);
  }

  /** Reports whether every worker that is there and could be given the task was given it before; true where the hub cannot be asked. */
  async #isOfferedToAll(taskId: string): Promise<boolean> {
    const { api, identity } = this.#options;
    const [task, agents] = await Promise.all([api.task(taskId), api.agents()]);
    if (!task.ok || !agents.ok) return true;
    const offered = new Set([identity.agentId, ...assigneesOf(task.value)]);
    return agents.value.every(({ id, labels }) => offered.has(id) || !isFor(task.value, labels));
  }

  /** Reports whether a task waits that this worker may be given, and that is not for another kind of worker by its tier. */
  async #hasOthersBehind(): Promise<boolean> {
    const { api, identity } = this.#options;
    const queued = await api.queued();
    const { capabilities = [] } = identity;
    const isMeant = (task: ListedTask) =>
      task.complexity?.effective_tier !== 'complex' && isFor(task, capabilities);
    return queued.ok && queued.value.some(isMeant);
  }
}

const isFor = ({ needed_capabilities: needed }: ListedTask, labels: readonly string[]): boolean =>
  (needed ?? []).every((label) => labels.includes(label));

function assigneesOf({ history }: ListedTask): string[] {
  return (history ?? []).flatMap(({ event, details }) => {
    const id = event === 'assigned' && (details as { agent_id?: unknown } | null)?.agent_id;
    return typeof id === 'string' ? [id] : [];
  });
}
