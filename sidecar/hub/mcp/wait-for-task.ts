/** The tool that waits for a task's end, up to a time limit, and reports progress. */
import * as z from 'zod';
import { hasEnded, type HubEvent } from '../client/hub-client.ts';
import { answerWithStatus, taskIdSchema } from './task-tools.ts';
import { shortenTaskLine, declareTool } from './tool.ts';
import { runWithTimeLimit } from '../../base/system/clock.ts';

/** Default wait, in seconds: less than one minute, after which many clients end a call. */
const DEFAULT_WAIT_S = 50;
const MAX_WAIT_S = 3600;
const PROGRESS_INTERVAL_MS = 1_000;
/** Interval at which the last progress is sent again: some clients stop waiting if no progress arrives. */
const REPEAT_INTERVAL_MS = 10_000;

export const waitForTaskTool = declareTool({
  name: 'wait_for_task',
  description:
    'Wait until a task has ended, with progress notifications. After the timeout the task continues: call this tool again.',
  input: z.strictObject({
    task_id: taskIdSchema,
    timeout_seconds: z
      .int()
      .min(1)
      .max(MAX_WAIT_S)
      .default(DEFAULT_WAIT_S)
      .describe('Use more than 50 only if your client waits that long for a tool call'),
  }),
  hints: { readOnlyHint: true },
  async run({ task_id: id, timeout_seconds: seconds }, { hub, signal, reportProgress }) {
    const taskBefore = await hub.task(id);
    if (hasEnded(taskBefore.status)) return answerWithStatus(taskBefore);
    const firstLine = taskBefore.waiting_for
      ? `waits for ${shortenTaskLine(taskBefore.waiting_for)}`
      : taskBefore.status;
    const sender = startSending(reportProgress, firstLine);
    const follow = async (stop: AbortSignal): Promise<void> => {
      for await (const event of hub.events(id, { signal: stop, after: taskBefore.last_event_id ?? 0 })) {
        sender.send(formatEvent(event));
        if (event.kind === 'task' && hasEnded(event.body.status)) break;
      }
    };
    try {
      await runWithTimeLimit(follow, seconds * 1000, signal);
    } finally {
      sender.stop();
    }
    const task = await hub.task(id);
    return answerWithStatus(
      task,
      hasEnded(task.status) ? '' : `The task has not ended after ${seconds} s.\n`,
    );
  },
});

/** Formats an event as one line; undefined for an event without information. */
function formatEvent({ kind, body }: HubEvent): string | undefined {
  if (kind === 'task') return String(body.status);
  if (body.event_type === 'token' || typeof body.text !== 'string' || body.text.trim() === '')
    return undefined;
  return shortenTaskLine(body.text);
}

/** Reports progress at most once a second, and repeats the last line regularly. */
function startSending(progress: (message: string) => void, first: string) {
  let line = first;
  let sentAtMs = 0;
  const report = () => {
    sentAtMs = performance.now();
    progress(line);
  };
  report();
  const repeatTimer = setInterval(report, REPEAT_INTERVAL_MS);
  return {
    send(next: string | undefined) {
      if (next === undefined) return;
      line = next;
      if (performance.now() - sentAtMs >= PROGRESS_INTERVAL_MS) report();
    },
    stop: () => clearInterval(repeatTimer),
  };
}
