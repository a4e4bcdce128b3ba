/** The commands about one task of a hub: `submit`, `watch`, `cancel`, `retry`, `steer`, `answer` and `follow-up`. */
import type { TaskSummary } from '../../hub/client/hub-client.ts';
import { toPrintable, toPrintableLine } from '../../base/values/printable.ts';
import { quoteShellWord } from '../../base/values/shell-word.ts';
import { EXIT, createUsageError } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { openHub, type HubFlags, type OpenHub } from '../hub-address.ts';
import { runInterruptible } from '../interruption.ts';
import { recordLastTask, resolveTaskId } from '../last-task.ts';
import type { RequiredEvidence } from '../shared-options.ts';
import { readSubmission, type TaskOptions } from '../task-options.ts';

interface WaitFlags extends HubFlags {
  /** Whether to follow the task and exit with its exit code. */
  wait?: boolean;
  requireVerified?: RequiredEvidence;
  output?: 'github';
}

export async function submitCommand(
  description: string | undefined,
  options: TaskOptions & WaitFlags,
): Promise<void> {
  const payload = await readSubmission(description, options);
  const hub = await openHub(options);
  const task = await hub.client.submit(payload);
  await followOrShow(hub, task, options, ` (${task.status})`);
}

export async function retryCommand(taskName: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const task = await hub.client.retry(await resolveTaskId(hub.client.url, taskName));
  await followOrShow(hub, task, options, ` again (${task.status})`);
}

/** Submits the follow-up of a partial result; a second call returns the same task. */
export async function followUpCommand(taskName: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const taskId = await resolveTaskId(hub.client.url, taskName);
  const task = await hub.client.followUp(taskId);
  await followOrShow(hub, task, options, `, which continues ${taskId},`);
}

export async function watchCommand(taskName: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const taskId = await resolveTaskId(hub.client.url, taskName);
  // Fails at once if the task does not exist.
  await hub.client.task(taskId);
  await followSubmittedTask(hub, taskId, options);
}

export async function cancelCommand(taskName: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const task = await client.cancel(await resolveTaskId(client.url, taskName));
  if (terminal.json) terminal.data(task);
  else terminal.line(`Task ${toPrintable(task.task_id)} is ${toPrintable(task.status)}`);
}

export async function steerCommand(taskName: string, text: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const taskId = await resolveTaskId(client.url, taskName);
  const stored = await client.steer(taskId, text);
  if (terminal.json) terminal.data(stored);
  else terminal.line(`The model of task ${toPrintable(taskId)} receives this text before its next answer`);
}

/** Answers the oldest open request of a task: `accept`, `reject`, or a text. */
export async function answerCommand(taskName: string, words: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const taskId = await resolveTaskId(client.url, taskName);
  const openRequests = ((await client.task(taskId)).approvals ?? []).filter(
    ({ status }) => status === 'pending',
  );
  const [request] = openRequests;
  if (!request)
    throw createUsageError(
      'hub_approval_not_found',
      `Task ${toPrintable(taskId)} has no open question. \`tasks --status asks\` lists tasks with open questions`,
    );
  const decision = { accept: 'accepted', reject: 'rejected' }[words];
  const answered = await client.answer(taskId, {
    approval_id: request.approval_id,
    ...(decision === undefined ? { decision: 'corrected', text: words } : { decision }),
  });
  if (terminal.json) return terminal.data(answered);
  terminal.line(`Answered (${answered.status}): ${toPrintableLine(answered.summary, 200)}`);
  const remainingCount = openRequests.length - 1;
  if (remainingCount > 0)
    terminal.line(
      `  ${remainingCount} more ${remainingCount === 1 ? 'request' : 'requests'} to answer; the next one:  ${toPrintableLine(openRequests[1]?.summary ?? '', 200)}`,
    );
}

/** Follows the task to its end, or prints how to follow it. `note` is appended to the task's name. */
async function followOrShow(hub: OpenHub, task: TaskSummary, options: WaitFlags, note: string) {
  const { terminal, client, hubArguments } = hub;
  const shownId = toPrintable(task.task_id);
  await recordLastTask(client.url, task.task_id);
  const line = `Submitted ${terminal.color.bold(shownId)}${toPrintable(note)} to ${client.url}`;
  if (options.wait) {
    if (terminal.json)
      terminal.data({ kind: 'submitted', at: Date.now(), body: { task_id: task.task_id, hub: client.url } });
    else terminal.line(line);
    return followSubmittedTask(hub, task.task_id, options);
  }
  if (terminal.json) terminal.data(task);
  else {
    // The task is submitted even if this request fails.
    const waitsFor = (await client.task(task.task_id).catch(() => undefined))?.waiting_for;
    terminal.line(line);
    if (waitsFor) terminal.line(`  waits for ${toPrintable(waitsFor)}`);
    terminal.line(`  follow it:  ollama-sidecar watch ${quoteShellWord(shownId)}${hubArguments}`);
  }
  process.exitCode = EXIT.ok;
}

const followSubmittedTask = (
  { terminal, client, hubArguments }: OpenHub,
  taskId: string,
  { requireVerified, output }: WaitFlags,
): Promise<void> =>
  runInterruptible((interruption) =>
    followTask({ terminal, client, taskId, interruption, hubArguments, requireVerified, output }),
  );
