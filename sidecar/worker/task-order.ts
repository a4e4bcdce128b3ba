/**
 * Decides which task begins next, and when. Tasks begin in order of arrival, but those with a loaded model first, so
 * that one load serves many tasks. No task is passed over for longer than `worker.maxPassedOverMs`. At most
 * `worker.concurrency` tasks are in work. With `auto`, another task begins whenever the model servers can serve it: its
 * worktree and checks then run while the model works for other tasks.
 */
import { availableParallelism } from 'node:os';
import PQueue, { type Queue, type QueueAddOptions } from 'p-queue';
import type { Config } from '../base/config/schema.ts';
import type { Scheduler } from '../model/servers/scheduler.ts';
import { listConfiguredServers } from '../model/servers/server-settings.ts';
import type { Clock } from '../base/ports.ts';
import { measureUsableMemory } from '../base/system/machine-memory.ts';

/**
 * Memory that a task's checks may need. If they need more, the user sets the number of tasks with `worker.autoLimit`.
 */
const TASK_BYTES = 2 * 1024 ** 3;
const MAX_TASKS = 64;
/** How long a new task counts as one that will soon call the model; slow checks may delay its first call further. */
const STARTUP_MS = 2_500;

type RunTask = () => Promise<unknown>;
export interface QueuedTaskOptions extends QueueAddOptions {
  /** The model that the task names. */
  model?: string;
}
export type WaitingTasks = PQueue<Queue<RunTask, QueuedTaskOptions>, QueuedTaskOptions>;

export interface MachineResources {
  cores: number;
  memoryBytes: number;
}

/** Returns the maximum number of concurrent tasks. */
export function computeMaxTasks(
  { worker, ollama }: Pick<Config, 'worker' | 'ollama'>,
  { cores, memoryBytes }: MachineResources = {
    cores: availableParallelism(),
    memoryBytes: measureUsableMemory(),
  },
): number {
  if (worker.concurrency !== 'auto') return worker.concurrency;
  if (worker.autoLimit !== undefined) return worker.autoLimit;
  const slots = listConfiguredServers(ollama).reduce((sum, server) => sum + server.slots, 0);
  const autoCount = Math.min(slots + cores, Math.floor(memoryBytes / TASK_BYTES), MAX_TASKS);
  return Math.max(slots + 1, autoCount);
}

export interface TaskOrderOptions {
  /** Maximum number of concurrent tasks. */
  maxTasks: number;
  /** Whether the number of running tasks is limited to what the model servers can serve (minimum 1). */
  isAuto: boolean;
  maxPassedOverMs: number;
  /** The model of tasks that name none. */
  defaultModel?: string | undefined;
  scheduler: Pick<Scheduler, 'countUsefulTasks' | 'hasAsked' | 'onChange'> & {
    servers: Pick<Scheduler['servers'], 'wouldSwap' | 'isLoadedAnywhere'>;
  };
  /** Returns the tasks in work whose workspace is ready or in preparation. */
  listRunning: () => readonly { id: string; usesModel: boolean }[];
  clock: Clock;
}

interface QueuedTask {
  run: RunTask;
  model: string | undefined;
  id: string | undefined;
  /** Time at which a later task first began before this task. */
  passedOverAtMs?: number;
}

/** Creates a queue that begins tasks in the order that the comment at the top of this file describes. */
export function createOrderedQueue(options: TaskOrderOptions): WaitingTasks {
  const { maxTasks, isAuto, maxPassedOverMs, defaultModel, scheduler, clock } = options;
  const { servers } = scheduler;
  let waiting: QueuedTask[] = [];

  /** Returns the task that begins next. */
  const chooseNext = (): QueuedTask | undefined => {
    const isDue = ({ passedOverAtMs }: QueuedTask) =>
      passedOverAtMs !== undefined && clock.monotonicMs() - passedOverAtMs >= maxPassedOverMs;
    const fitsLoadedModel = ({ model }: QueuedTask) => model === undefined || !servers.wouldSwap(model);
    return waiting.find(isDue) ?? waiting.find(fitsLoadedModel) ?? waiting[0];
  };

  /**
   * Replaces p-queue's order by priority. p-queue creates an instance of this class itself, and another one whenever
   * the queue is cleared.
   */
  class LoadedFirstQueue implements Queue<RunTask, QueuedTaskOptions> {
    constructor() {
      waiting = [];
    }
    get size(): number {
      return waiting.length;
    }
    enqueue(run: RunTask, { model = defaultModel, id }: Partial<QueuedTaskOptions> = {}): void {
      waiting.push({ run, model, id });
    }
    dequeue(): RunTask | undefined {
      const nextTask = chooseNext();
      if (!nextTask) return undefined;
      for (const task of waiting.slice(0, waiting.indexOf(nextTask)))
        task.passedOverAtMs ??= clock.monotonicMs();
      waiting = waiting.filter((task) => task !== nextTask);
      return nextTask.run;
    }
    /** Returns all waiting tasks, since they have one priority. */
    filter(): RunTask[] {
      return waiting.map(({ run }) => run);
    }
    setPriority(): void {}
    remove(idOrRun: string | RunTask): void {
      waiting = waiting.filter(({ id, run }) => id !== idOrRun && run !== idOrRun);
    }
  }

  const queue: WaitingTasks = new PQueue({
    concurrency: isAuto ? 1 : maxTasks,
    queueClass: LoadedFirstQueue,
  });
  if (!isAuto) return queue;
  const isFitting = () => waiting.some(({ model }) => model === undefined || servers.isLoadedAnywhere(model));
  adjustConcurrency(queue, options, isFitting);
  return queue;
}

/** Adjusts the queue's concurrency to the number of tasks that the model servers can serve. */
function adjustConcurrency(queue: WaitingTasks, options: TaskOrderOptions, isFitting: () => boolean): void {
  const { scheduler, maxTasks, listRunning, clock } = options;
  let startTimesMs = new Map<string, number>();
  let cancel = (): void => undefined;
  const adjust = (): void => {
    const nowMs = clock.monotonicMs();
    const tasks = listRunning();
    startTimesMs = new Map(tasks.map(({ id }) => [id, startTimesMs.get(id) ?? nowMs]));
    const isStarting = ({ id, usesModel }: (typeof tasks)[number]) =>
      usesModel && !scheduler.hasAsked(id) && nowMs - (startTimesMs.get(id) ?? 0) < STARTUP_MS;
    const startingTasks = queue.pending - tasks.filter((task) => !isStarting(task)).length;
    cancel();
    if (startingTasks > 0) cancel = clock.schedule(STARTUP_MS, adjust);
    const usefulCount = Math.max(0, scheduler.countUsefulTasks({ isFitting: isFitting(), startingTasks }));
    const concurrency = Math.max(1, Math.min(maxTasks, queue.pending + usefulCount));
    if (queue.concurrency !== concurrency) queue.concurrency = concurrency;
  };
  scheduler.onChange(adjust);
  for (const event of ['add', 'active', 'next'] as const) queue.on(event, adjust);
  adjust();
}
