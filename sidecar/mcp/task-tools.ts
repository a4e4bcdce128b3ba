/** Tools that give tasks to the hub, look at them and cancel them. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { terminationText } from '../protocol/result.ts';
import { hasEnded, type HubWorker, type TaskDetail } from '../hub-client/hub-client.ts';
import { mayChangeChecksSchema } from '../protocol/task.ts';
import { failed, said, shownLine, tool } from './tool.ts';

const MAX_ATTEMPTS = 16;
const MAX_WORKERS = 50;
const MAX_MODELS = 100;

export const taskId = z.string().min(1).max(256).describe('As submit_task gave it');

export const submitTask = tool({
  name: 'submit_task',
  description:
    'Give a coding task to the hub. Returns its task_id at once. The worker changes a copy; nothing is merged until apply_result.',
  input: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(200_000)
      .describe('What is to be done, exact and whole: the model sees this and the repository, nothing else'),
    repo: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'Repository: a folder, an https:// or an ssh:// address. Without one the task gets an empty folder',
      ),
    branch: z.string().min(1).max(512).optional().describe('Where it begins; default: what is checked out'),
    checks: z
      .array(z.string().trim().min(1).max(4096))
      .max(50)
      .optional()
      .describe('Commands that must succeed when the work is done, such as "npm test"'),
    may_change_checks: mayChangeChecksSchema
      .optional()
      .describe('Tests and settings that the task may change: true for all, or globs; default: none'),
    model: z.string().min(1).max(256).optional().describe('One of list_models; default: the worker chooses'),
    attempts: z
      .int()
      .min(1)
      .max(MAX_ATTEMPTS)
      .optional()
      .describe('How often it is tried while its checks fail'),
  }),
  hints: { readOnlyHint: false, destructiveHint: false },
  async run({ text, repo, branch, checks, may_change_checks, model, attempts }, { hub, host: { folder } }) {
    if (repo !== undefined && folder === undefined && !isAbsolute(repo) && !isAddress(repo)) {
      return failed(
        `"${shownLine(repo)}" is no place that a worker can find: write an absolute path on its machine, or an https:// or ssh:// address.`,
      );
    }
    const task = await hub.submit({
      description: text,
      ...(repo !== undefined && { repo: placeOf(repo, folder) }),
      ...(branch !== undefined && { branch }),
      ...(model !== undefined && { model }),
      ...(checks && { verification_steps: checks.map((target) => ({ type: 'command_succeeds', target })) }),
      ...(may_change_checks !== undefined && { may_change_checks }),
      ...(attempts !== undefined && { metadata: { attempts } }),
    });
    return said(`task_id: ${task.task_id}\nstatus: ${task.status}\nnext: wait_for_task`);
  },
});

/** `https://…`, `host:path` and `~/…` are for the worker to read. */
const isAddress = (repo: string): boolean => /^[^/]+:|^~\//u.test(repo);

/** A path from the caller's folder as a whole one; what is for the worker to read as it is. */
export function placeOf(repo: string, folder: string | undefined): string {
  if (folder === undefined || isAbsolute(repo)) return repo;
  const path = resolve(folder, repo);
  return isAddress(repo) && !existsSync(path) ? repo : path;
}

export const taskStatus = tool({
  name: 'task_status',
  description: 'Where a task stands: status, worker, model, what it waits for. Does not wait.',
  input: z.strictObject({ task_id: taskId }),
  hints: { readOnlyHint: true },
  run: async ({ task_id: id }, { hub }) => said(statusText(await hub.task(id))),
});

export const cancelTask = tool({
  name: 'cancel_task',
  description: 'Cancel a task, waiting or running.',
  input: z.strictObject({ task_id: taskId }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async run({ task_id: id }, { hub }) {
    const { status } = await hub.cancel(id);
    return said(`task_id: ${id}\nstatus: ${status}`);
  },
});

export const listModels = tool({
  name: 'list_models',
  description: 'The models of the workers that are connected now, for submit_task.',
  input: z.strictObject({}),
  hints: { readOnlyHint: true },
  async run(_args, { hub }) {
    const workers = (await hub.workers()).filter(({ connected }) => connected);
    if (workers.length === 0) {
      return failed(
        'No worker is connected: tasks wait in the queue. Start one with `ollama-sidecar start`.',
      );
    }
    return said(workers.slice(0, MAX_WORKERS).map(workerLine).join('\n'));
  },
});

function workerLine({ agent_id: id, models, load, capacity, not_ready: notReady }: HubWorker): string {
  const names = models.slice(0, MAX_MODELS).map((name) => shownLine(name));
  const ready = notReady ? `not ready (${shownLine(notReady)})` : `${load} of ${capacity} places taken`;
  return `${shownLine(id)} (${ready}): ${names.join(', ') || 'no models'}`;
}

/** A task in a few lines, with what to do next. */
export function statusText(task: TaskDetail): string {
  const asked = task.approvals?.find(({ status }) => status === 'pending');
  const facts: [string, string | null | undefined][] = [
    ['task_id', task.task_id],
    ['title', task.title],
    ['status', task.status],
    ['waits for', task.waiting_for],
    ['worker', task.worker_id],
    ['model', task.model],
    ['verification', task.verification_status],
    ['ended', task.termination_reason && terminationText(task.termination_reason)],
    ['error', task.error],
    ['asks a person', asked && `${asked.summary} (answer it in the hub’s dashboard)`],
    ['next', hasEnded(task.status) ? 'get_result' : 'wait_for_task'],
  ];
  return facts
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${shownLine(value ?? '', 2000)}`)
    .join('\n');
}
