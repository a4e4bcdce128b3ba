/** Waits for a task's end, bounded, and reports progress meanwhile. */
import * as z from 'zod';
import { hasEnded, type HubEvent } from '../hub-client/hub-client.ts';
import { statusOf, taskId } from './task-tools.ts';
import { shownLine, tool } from './tool.ts';

/** Many clients end a call after a minute. */
const DEFAULT_WAIT_S = 50;
const MAX_WAIT_S = 3600;
const TELL_EVERY_MS = 1_000;
/** Some clients wait only while progress comes: the last one is sent again. */
const TELL_AGAIN_MS = 10_000;

export const waitForTask = tool({
  name: 'wait_for_task',
  description:
    'Wait until a task has ended, with progress notifications. Past the time the task is still running: call it again.',
  input: z.strictObject({
    task_id: taskId,
    timeout_seconds: z
      .int()
      .min(1)
      .max(MAX_WAIT_S)
      .default(DEFAULT_WAIT_S)
      .describe('Longer than 50 only where your client waits that long for a tool'),
  }),
  hints: { readOnlyHint: true },
  async run({ task_id: id, timeout_seconds: seconds }, { hub, signal, progress }) {
    const before = await hub.task(id);
    if (hasEnded(before.status)) return statusOf(before);
    const stop = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    const waitsFor = before.waiting_for ? `waits for ${shownLine(before.waiting_for)}` : before.status;
    const sender = startSending(progress, waitsFor);
    try {
      for await (const event of hub.events(id, { signal: stop, after: before.last_event_id ?? 0 })) {
        sender.send(lineOf(event));
        if (event.kind === 'task' && hasEnded(event.body.status)) break;
      }
    } finally {
      sender.stop();
    }
    const task = await hub.task(id);
    return statusOf(task, hasEnded(task.status) ? '' : `Still running after ${seconds} s.\n`);
  },
});

/** The line of an event for a reader; undefined for one that says little. */
function lineOf({ kind, body }: HubEvent): string | undefined {
  if (kind === 'task') return String(body.status);
  if (body.event_type === 'token' || typeof body.text !== 'string' || body.text.trim() === '')
    return undefined;
  return shownLine(body.text);
}

/** Tells at most once a second, and the newest line again after a while. */
function startSending(progress: (message: string) => void, first: string) {
  let line = first;
  let toldAtMs = 0;
  const say = () => {
    toldAtMs = performance.now();
    progress(line);
  };
  say();
  const again = setInterval(say, TELL_AGAIN_MS);
  return {
    send(next: string | undefined) {
      if (next === undefined) return;
      line = next;
      if (performance.now() - toldAtMs >= TELL_EVERY_MS) say();
    },
    stop: () => clearInterval(again),
  };
}
