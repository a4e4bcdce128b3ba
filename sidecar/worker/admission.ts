/**
 * How many tasks are in work. A number is a number. With `auto` another task is begun whenever a slot would be idle: its
 * worktree and its checks then run while the model works for other tasks. One more task of the loaded model than the slots
 * have room for is made ready, and waits at the gate with its first question. A task of another model is begun only for a
 * server that has nothing to do: with tasks of two models in work, each model would be loaded again and again.
 */
import { availableParallelism } from 'node:os';
import type PQueue from 'p-queue';
import type { Config } from '../config/schema.ts';
import { endpointsOf } from '../model/endpoints.ts';
import type { Gate } from '../model/gate.ts';
import type { Clock } from '../ports.ts';
import { usableMemoryBytes } from '../system/machine-memory.ts';

/** What a task's checks may need; where all of them need more, `worker.autoLimit` says how many fit. */
const TASK_BYTES = 2 * 1024 ** 3;
const MOST_TASKS = 64;
/** Tasks that are ready and wait at the gate while the slots are full. */
const READY_TASKS = 1;
/** So long a new task is counted as one that will ask the model soon; with slow checks before its first question it takes longer. */
const COMING_MS = 2_500;

export interface Machine {
  cores: number;
  memoryBytes: number;
}

/** Most tasks that may be in work at once. */
export function mostTasks(
  { worker, ollama }: Pick<Config, 'worker' | 'ollama'>,
  { cores, memoryBytes }: Machine = thisMachine(),
): number {
  if (worker.concurrency !== 'auto') return worker.concurrency;
  if (worker.autoLimit !== undefined) return worker.autoLimit;
  const slots = endpointsOf(ollama).reduce((sum, { concurrency = 1 }) => sum + concurrency, 0);
  const fitting = Math.min(slots + cores, Math.floor(memoryBytes / TASK_BYTES), MOST_TASKS);
  return Math.max(slots + 1, fitting);
}

const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: usableMemoryBytes(),
});

export interface AdmissionOptions {
  queue: Pick<PQueue, 'concurrency' | 'pending'>;
  gate: Pick<Gate, 'demand' | 'hasAsked' | 'onChange'>;
  most: number;
  /** Tasks in work that are past their first steps. */
  running: () => readonly { id: string; asksModel: boolean }[];
  /** Whether a task waits that would have no other model loaded. */
  hasFitting: () => boolean;
  clock: Clock;
}

/** Keeps the queue's concurrency at what the gate has use for. The returned function is called when a task came, began or ended. */
export function admitByDemand(options: AdmissionOptions): () => void {
  const { queue, gate, most, running, hasFitting, clock } = options;
  let begunMs = new Map<string, number>();
  let cancel = (): void => undefined;
  const adjust = (): void => {
    const nowMs = clock.monotonicMs();
    const { swaps, idleServers, spareSlots, beginners } = gate.demand;
    const tasks = running();
    begunMs = new Map(tasks.map(({ id }) => [id, begunMs.get(id) ?? nowMs]));
    const isComing = ({ id, asksModel }: (typeof tasks)[number]) =>
      asksModel && !gate.hasAsked(id) && nowMs - (begunMs.get(id) ?? 0) < COMING_MS;
    const coming = queue.pending - tasks.filter((task) => !isComing(task)).length;
    cancel();
    if (coming > 0) cancel = clock.schedule(COMING_MS, adjust);
    const useful = hasFitting() ? spareSlots + READY_TASKS - beginners : idleServers - swaps;
    const wanted = Math.max(0, useful - coming);
    const next = Math.max(1, Math.min(most, queue.pending + wanted));
    if (queue.concurrency !== next) queue.concurrency = next;
  };
  gate.onChange(adjust);
  adjust();
  return adjust;
}
