/** Follows one task from the terminal until it ends: timeline, result, exit code; Ctrl-C cancels it. */
import { exitCodeOfTask, EXIT, type ExitCode } from './exit-codes.ts';
import type { HubClient, TaskDetail } from './hub-client.ts';
import { showResult } from './result-view.ts';
import { createTimeline } from './timeline.ts';
import type { Terminal } from './terminal.ts';

const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

export interface FollowOptions {
  terminal: Terminal;
  client: HubClient;
  taskId: string;
  /** A local repository that gets the branch. */
  repo?: string;
  /** Ctrl-C cancels the task (a second one leaves at once); without it only the watching ends. */
  cancelOnInterrupt: boolean;
  diff?: boolean;
}

/** Shows a task until its end. Throws `CommandError`. */
export async function followTask(options: FollowOptions): Promise<ExitCode> {
  const { terminal, client, taskId } = options;
  const timeline = await createTimeline(terminal);
  const watching = new AbortController();
  let interrupted: ExitCode | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const code = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
    if (interrupted !== undefined || !options.cancelOnInterrupt) {
      interrupted = code;
      watching.abort();
      return;
    }
    interrupted = code;
    timeline.end();
    terminal.note('Cancelling the task; press Ctrl-C again to leave at once.');
    client.cancel(taskId).catch(() => watching.abort());
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    const task = await untilEnded(client, taskId, watching.signal, (event) => timeline.show(event));
    timeline.end();
    if (!task) return interrupted ?? EXIT.interrupted;
    showResult(terminal, task, options);
    return interrupted ?? exitCodeOf(task);
  } finally {
    timeline.end();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

function exitCodeOf(task: TaskDetail): ExitCode {
  return exitCodeOfTask(
    task.status,
    typeof task.result?.status === 'string' ? task.result.status : task.status,
  );
}

/** Passes events on until one says that the task has ended; undefined when watching was stopped. */
async function untilEnded(
  client: HubClient,
  taskId: string,
  signal: AbortSignal,
  show: (event: Parameters<Awaited<ReturnType<typeof createTimeline>>['show']>[0]) => void,
): Promise<TaskDetail | undefined> {
  for await (const event of client.events(taskId, { signal })) {
    show(event);
    if (event.kind !== 'task') continue;
    const status = event.body.status;
    if (typeof status === 'string' && ENDED.has(status)) return client.task(taskId);
  }
  return undefined;
}
