/** Follows one task from the terminal until it ends: timeline, result, exit code. */
import { EXIT, type ExitCode, exitCodeOfTask } from './exit-codes.ts';
import { formatAnnotations } from './github-annotations.ts';
import { hasEnded, type HubClient, type TaskDetail } from '../hub/client/hub-client.ts';
import type { HubError } from '../hub/client/hub-error.ts';
import { onAbort } from '../base/system/on-abort.ts';
import type { Interruption } from './interruption.ts';
import { outputLostSignal } from './lost-output.ts';
import { showResult } from './result-view.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import type { RequiredEvidence } from './shared-options.ts';
import type { MergeDescriber } from './merge-instructions.ts';
import type { Terminal } from './terminal.ts';
import { toPrintable } from '../base/values/printable.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';

interface FollowOptions {
  terminal: Terminal;
  client: HubClient;
  taskId: string;
  interruption: Interruption;
  /**
   * Aborts if the worker is lost; `followTask` then rejects with the signal's reason. Set only if the task ends with
   * the command: then the first signal or a closed stdout cancels the task, and a second signal exits immediately.
   * Without `workerLost`, both only end watching.
   */
  workerLost?: AbortSignal;
  /** Flags with which another command finds this hub; set if the task continues after this command. */
  hubArguments?: string;
  /** Describes how to get the task's branch. */
  describeMerge?: MergeDescriber;
  /** The folder of the worker's caches, if it is on this machine. */
  cacheDir?: string;
  diff?: boolean;
  /** `github`: print annotations of a GitHub workflow after the result. */
  output?: 'github';
  /** Evidence that a success requires; a success without it gets the exit code of a partial result. */
  requireVerified?: RequiredEvidence | undefined;
  /** The command that continues a partial result. */
  continueWith?: string;
}

/** Shows a task until its end. Throws `HubError`, or the reason of `workerLost`. */
export async function followTask(options: FollowOptions): Promise<ExitCode> {
  const { terminal, client, taskId, interruption } = options;
  const timeline = await createTimeline(terminal);
  const watching = new AbortController();
  const unlisten = stopOnInterruption(options, timeline, watching);
  try {
    const task = await showUntilEnd(client, taskId, watching.signal, { timeline, terminal });
    timeline.end();
    if (!task) options.workerLost?.throwIfAborted();
    if (!task)
      return interruption.exitCode ?? (outputLostSignal.aborted ? EXIT.outputClosed : EXIT.interrupted);
    await showResult(terminal, task, options);
    if (options.output === 'github') formatAnnotations(task).forEach((one) => terminal.line(one));
    return (
      interruption.exitCode ?? (outputLostSignal.aborted ? EXIT.outputClosed : exitCodeOf(task, options))
    );
  } finally {
    timeline.end();
    unlisten();
  }
}

function stopOnInterruption(
  { terminal, client, taskId, interruption, workerLost, hubArguments = '' }: FollowOptions,
  timeline: Timeline,
  watching: AbortController,
): () => void {
  const leave = () => watching.abort();
  const cancel = () => {
    timeline.end();
    terminal.note(
      outputLostSignal.aborted
        ? 'stdout was closed: cancelling the task. Press Ctrl-C to exit immediately.'
        : 'Cancelling the task. Press Ctrl-C again to exit immediately.',
    );
    client.cancel(taskId).catch(leave);
  };
  const showContinuation = () => {
    timeline.end();
    const id = quoteShellWord(toPrintable(taskId)) + hubArguments;
    terminal.note(
      `The task continues on the hub.\n  follow it again:  ollama-sidecar watch ${id}\n  cancel it:        ollama-sidecar cancel ${id}`,
    );
  };
  const stop = workerLost ? cancel : leave;
  const unlisten = [
    ...(workerLost ? [] : [onAbort(interruption.firstSignal, showContinuation)]),
    onAbort(interruption.firstSignal, stop),
    onAbort(interruption.secondSignal, leave),
    onAbort(outputLostSignal, stop),
    onAbort(workerLost, leave),
  ];
  return () => unlisten.forEach((end) => end());
}

function exitCodeOf(task: TaskDetail, { terminal, requireVerified }: FollowOptions): ExitCode {
  const status = typeof task.result?.status === 'string' ? task.result.status : task.status;
  const code = exitCodeOfTask(status, task.error);
  const verification = String(task.result?.verification_status);
  const { evidence } = task.result ?? {};
  const lacksEvidence = requireVerified === 'fail-to-pass' && evidence !== 'fail_to_pass';
  if (code !== EXIT.ok || !requireVerified || (verification === 'verified' && !lacksEvidence)) return code;
  const outcomeText =
    lacksEvidence && verification === 'verified' ? `${verification} (${String(evidence)})` : verification;
  terminal.note(`The result is ${outcomeText}, and --require-verified was given: exit code ${EXIT.partial}.`);
  return EXIT.partial;
}

/** Shows the task's events until its end and returns the task; undefined if watching was stopped. */
async function showUntilEnd(
  client: HubClient,
  taskId: string,
  signal: AbortSignal,
  { timeline, terminal }: { timeline: Timeline; terminal: Terminal },
): Promise<TaskDetail | undefined> {
  const onOutage = ({ problem }: HubError): void => {
    timeline.end();
    terminal.note(`${problem} Trying again.`);
  };
  const queue = watchQueue(client, taskId, (waitingFor) => timeline.showWaiting(waitingFor));
  try {
    for await (const event of client.events(taskId, { signal, onOutage })) {
      timeline.show(event);
      if (event.kind !== 'task') continue;
      const { status } = event.body;
      queue.setStatus(status);
      if (hasEnded(status)) return await client.task(taskId);
    }
    return undefined;
  } finally {
    queue.close();
  }
}

/** Delay of the first request for the reason to wait: most tasks are assigned sooner. */
const FIRST_POLL_MS = 1_000;
const POLL_INTERVAL_MS = 10_000;

interface QueueWatch {
  /** Updates the watch with the task's new status. */
  setStatus(status: unknown): void;
  close(): void;
}

/** Calls `onReason` with each new reason while the task is queued. Never throws, even if the hub is lost. */
function watchQueue(
  client: Pick<HubClient, 'task'>,
  taskId: string,
  onReason: (waitingFor: string) => void,
): QueueWatch {
  let timer: NodeJS.Timeout | undefined;
  let isQueued = false;
  let lastReason: string | undefined;
  const pollReason = async () => {
    const task = await client.task(taskId).catch(() => undefined);
    if (!isQueued) return;
    const reason = task?.status === 'queued' ? (task.waiting_for ?? undefined) : undefined;
    if (reason !== undefined && reason !== lastReason) onReason(reason);
    lastReason = reason ?? lastReason;
    timer = setTimeout(() => void pollReason(), POLL_INTERVAL_MS);
  };
  const close = () => {
    isQueued = false;
    clearTimeout(timer);
  };
  return {
    setStatus(status) {
      if (status !== 'queued') close();
      else if (!isQueued) {
        isQueued = true;
        timer = setTimeout(() => void pollReason(), FIRST_POLL_MS);
      }
    },
    close,
  };
}
