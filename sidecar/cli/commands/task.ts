/** The commands about one task of a hub: `submit`, `watch`, `cancel`, `retry`, `steer`, `answer` and `follow-up`. */
import type { TaskSummary } from '../../hub/client/hub-client.ts';
import { printable, printableLine } from '../../base/values/printable.ts';
import { shellWord } from '../../base/values/shell-word.ts';
import { EXIT, usageError } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { openHub, type HubFlags, type OpenHub } from '../hub-address.ts';
import { interruptible } from '../interruption.ts';
import { recordLastTask, taskIdOf } from '../last-task.ts';
import type { RequiredEvidence } from '../shared-options.ts';
import { readSubmission, type TaskOptions } from '../task-options.ts';

interface WaitFlags extends HubFlags {
  /** Follow the task and exit with its exit code. */
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
  await afterSubmission(hub, task, options, ` (${task.status})`);
}

export async function retryCommand(named: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const task = await hub.client.retry(await taskIdOf(hub.client.url, named));
  await afterSubmission(hub, task, options, ` again (${task.status})`);
}

/** Submits the follow-up of a partial result; a second call returns the same task. */
export async function followUpCommand(named: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const taskId = await taskIdOf(hub.client.url, named);
  const task = await hub.client.followUp(taskId);
  await afterSubmission(hub, task, options, `, which continues ${taskId}`);
}

export async function watchCommand(named: string, options: WaitFlags): Promise<void> {
  const hub = await openHub(options);
  const taskId = await taskIdOf(hub.client.url, named);
  // Fails at once if the task does not exist.
  await hub.client.task(taskId);
  await follow(hub, taskId, options);
}

export async function cancelCommand(named: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const task = await client.cancel(await taskIdOf(client.url, named));
  if (terminal.json) terminal.data(task);
  else terminal.line(`Task ${printable(task.task_id)} is ${printable(task.status)}`);
}

export async function steerCommand(named: string, text: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const taskId = await taskIdOf(client.url, named);
  const stored = await client.steer(taskId, text);
  if (terminal.json) terminal.data(stored);
  else terminal.line(`The model of task ${printable(taskId)} gets this text before its next answer`);
}

/** Answers the oldest open request of a task: `accept`, `reject`, or a text. */
export async function answerCommand(named: string, words: string, options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const taskId = await taskIdOf(client.url, named);
  const open = ((await client.task(taskId)).approvals ?? []).filter(({ status }) => status === 'pending');
  const [request] = open;
  if (!request)
    throw usageError(
      'hub_approval_not_found',
      `Task ${printable(taskId)} has no open question: \`tasks --status asks\` lists tasks that have`,
    );
  const decision = { accept: 'accepted', reject: 'rejected' }[words];
  const answered = await client.answer(taskId, {
    approval_id: request.approval_id,
    ...(decision === undefined ? { decision: 'corrected', text: words } : { decision }),
  });
  if (terminal.json) return terminal.data(answered);
  terminal.line(`Answered (${answered.status}): ${printableLine(request.summary, 200)}`);
  if (open.length > 1)
    terminal.line(
      `  ${open.length - 1} more to answer; the next one:  ${printableLine(open[1]?.summary ?? '', 200)}`,
    );
}

/** Follows the task to its end, or prints how to follow it; `note` is appended to its name. */
async function afterSubmission(hub: OpenHub, task: TaskSummary, options: WaitFlags, note: string) {
  const { terminal, client, sameHub } = hub;
  const shown = printable(task.task_id);
  await recordLastTask(client.url, task.task_id);
  const line = `Submitted ${terminal.color.bold(shown)}${printable(note)} to ${client.url}`;
  if (options.wait) {
    if (terminal.json)
      terminal.data({ kind: 'submitted', at: Date.now(), body: { task_id: task.task_id, hub: client.url } });
    else terminal.line(line);
    return follow(hub, task.task_id, options);
  }
  if (terminal.json) terminal.data(task);
  else {
    // The task is submitted even if this request fails.
    const waitsFor = (await client.task(task.task_id).catch(() => undefined))?.waiting_for;
    terminal.line(line);
    if (waitsFor) terminal.line(`  waits for ${printable(waitsFor)}`);
    terminal.line(`  follow it:  ollama-sidecar watch ${shellWord(shown)}${sameHub}`);
  }
  process.exitCode = EXIT.ok;
}

const follow = (
  { terminal, client, sameHub }: OpenHub,
  taskId: string,
  { requireVerified, output }: WaitFlags,
): Promise<void> =>
  interruptible((interruption) =>
    followTask({ terminal, client, taskId, interruption, sameHub, requireVerified, output }),
  );
