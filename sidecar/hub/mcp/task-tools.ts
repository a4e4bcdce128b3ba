/** Tools that list tasks and models of the hub, show a task's status, and cancel tasks. */
import * as z from 'zod';
import { describeTermination } from '../../base/protocol/result.ts';
import { hasEnded, type HubWorker, type TaskDetail, type TaskSummary } from '../client/hub-client.ts';
import {
  createFailedAnswer,
  createDataAnswer,
  shortenTaskLine,
  declareTool,
  type ToolAnswer,
} from './tool.ts';

const MAX_WORKERS = 50;
const MAX_TASKS = 100;
const MAX_MODELS = 100;

export const taskIdSchema = z.string().min(1).max(256).describe('As returned by submit_task');

export const taskStatusTool = declareTool({
  name: 'task_status',
  description: 'The current state of a task: status, worker, model, what it waits for. Does not wait.',
  input: z.strictObject({ task_id: taskIdSchema }),
  hints: { readOnlyHint: true },
  run: async ({ task_id: id }, { hub }) => answerWithStatus(await hub.task(id)),
});

export const cancelTaskTool = declareTool({
  name: 'cancel_task',
  description: 'Cancel a queued or running task.',
  input: z.strictObject({ task_id: taskIdSchema }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async run({ task_id: id }, { hub }) {
    const { status } = await hub.cancel(id);
    return createDataAnswer({ task_id: id, status }, `task_id: ${id}\nstatus: ${status}`);
  },
});

export const listTasksTool = declareTool({
  name: 'list_tasks',
  description: 'The newest tasks of the hub, including those of other users.',
  input: z.strictObject({
    status: z
      .array(
        z.enum(['asks', 'queued', 'assigned', 'running', 'success', 'partial', 'dead_letter', 'cancelled']),
      )
      .min(1)
      .optional()
      .describe('Only tasks in these states; default: all'),
    limit: z.int().min(1).max(MAX_TASKS).default(20),
  }),
  hints: { readOnlyHint: true },
  async run({ status, limit }, { hub }) {
    const tasks = await hub.tasks({ limit: String(limit), ...(status && { status: status.join(',') }) });
    const lines = tasks.map(
      ({ task_id: id, status: state, title }) => `${id} ${state}: ${shortenTaskLine(title, 120)}`,
    );
    return createDataAnswer({ tasks: tasks.map(factsOf) }, lines.join('\n') || 'No tasks.');
  },
});

export const listModelsTool = declareTool({
  name: 'list_models',
  description: 'The models of the connected workers, for submit_task.',
  input: z.strictObject({}),
  hints: { readOnlyHint: true },
  async run(_args, { hub }) {
    const workers = (await hub.workers()).filter(({ connected }) => connected);
    if (workers.length === 0) {
      return createFailedAnswer(
        'No worker is connected: tasks wait in the queue. Start a worker with `ollama-sidecar start`.',
      );
    }
    const shownWorkers = workers.slice(0, MAX_WORKERS);
    const data = shownWorkers.map(({ agent_id: worker, models, load, capacity, not_ready: reason }) => ({
      worker,
      load,
      capacity,
      models: models.slice(0, MAX_MODELS),
      ...(reason && { not_ready: reason }),
    }));
    return createDataAnswer({ workers: data }, shownWorkers.map(formatWorker).join('\n'));
  },
});

function formatWorker({ agent_id: id, models, load, capacity, not_ready: notReady }: HubWorker): string {
  const names = models.slice(0, MAX_MODELS).map((name) => shortenTaskLine(name));
  const stateText = notReady
    ? `not ready (${shortenTaskLine(notReady)})`
    : `${load} ${load === 1 ? 'task' : 'tasks'} running, capacity ${capacity}`;
  return `${shortenTaskLine(id)} (${stateText}): ${names.join(', ') || 'no models'}`;
}

/** Returns a task's facts as data. */
export const factsOf = (task: TaskSummary): Record<string, unknown> => ({
  task_id: task.task_id,
  title: shortenTaskLine(task.title),
  status: task.status,
  ended: hasEnded(task.status),
  worker: task.worker_id ?? null,
  model: task.model ?? null,
  verification: task.verification_status ?? null,
});

/** Returns a task's state as text and data. */
export const answerWithStatus = (task: TaskDetail, head = ''): ToolAnswer =>
  createDataAnswer({ ...factsOf(task), waits_for: task.waiting_for ?? null }, `${head}${formatStatus(task)}`);

/** Formats a task in a few lines, with the next tool to call. */
export function formatStatus(task: TaskDetail): string {
  const request = task.approvals?.find(({ status }) => status === 'pending');
  const facts: [string, string | null | undefined][] = [
    ['task_id', task.task_id],
    ['title', task.title],
    ['status', task.status],
    ['waits for', task.waiting_for],
    ['worker', task.worker_id],
    ['model', task.model],
    ['verification', task.verification_status],
    ['ended', task.termination_reason && describeTermination(task.termination_reason)],
    ['error', task.error],
    ['asks a user', request && `${request.summary} (answer with answer_task or on the hub’s dashboard)`],
    ['next', hasEnded(task.status) ? 'get_result' : 'wait_for_task'],
  ];
  return facts
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${shortenTaskLine(value ?? '', 2000)}`)
    .join('\n');
}
