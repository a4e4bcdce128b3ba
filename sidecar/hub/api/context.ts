/** Dependencies of the routes. */
import type { Clock, Logger } from '../../base/ports.ts';
import type { DailyBudgets } from '../queue/budgets.ts';
import type { Conversations } from '../queue/conversations.ts';
import type { HubMetrics } from '../metrics.ts';
import type { TaskSums } from '../queue/task-sums.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { WorkerDirectory } from '../socket/worker-directory.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { TaskHead, TaskRow } from '../storage/tables.ts';
import type { Broadcaster } from '../stream/broadcaster.ts';
import type { Authenticator } from './authenticator.ts';
import { ProblemError } from './problem.ts';

export interface ApiContext {
  store: HubStore;
  clock: Clock;
  logger: Logger;
  authenticator: Authenticator;
  queue: TaskQueue;
  conversations: Conversations;
  taskSums: TaskSums;
  workers: WorkerDirectory;
  broadcaster: Broadcaster;
  budgets: DailyBudgets | undefined;
  /** Metrics of the hub; undefined if they are not served. */
  metrics: HubMetrics | undefined;
  startedAtMs: number;
  /** Aborts when the hub closes, which ends open streams. */
  closing: AbortSignal;
}

/** Returns the task without its long texts. Throws a 404 `ProblemError` if there is no such task. */
export async function readTask(context: ApiContext, taskId: string): Promise<TaskHead> {
  return (await context.queue.readHead(taskId)) ?? throwTaskNotFound(taskId);
}

/** Returns the task with its long texts. Throws a 404 `ProblemError` if there is no such task. */
export async function readWholeTask(context: ApiContext, taskId: string): Promise<TaskRow> {
  return (await context.queue.get(taskId)) ?? throwTaskNotFound(taskId);
}

function throwTaskNotFound(taskId: string): never {
  throw new ProblemError(
    'hub_task_not_found',
    `There is no task ${JSON.stringify(taskId)}; \`ollama-sidecar tasks\` and GET /api/tasks list all tasks.`,
  );
}
