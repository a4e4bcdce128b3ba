/** Asks the hub regularly why a queued task waits, so that the terminal is not silent. */
import type { HubClient } from '../hub-client/hub-client.ts';

/** Delay of the first request: most tasks are assigned sooner. */
const FIRST_LOOK_MS = 1_000;
const NEXT_LOOK_MS = 10_000;

interface QueueWatch {
  /** Reports the task's new status. */
  statusIs(status: unknown): void;
  close(): void;
}

/** Calls `onReason` with each new reason while the task is queued. Never throws, even if the hub is lost. */
export function watchQueue(
  client: Pick<HubClient, 'task'>,
  taskId: string,
  onReason: (waitingFor: string) => void,
): QueueWatch {
  let timer: NodeJS.Timeout | undefined;
  let queued = false;
  let lastReason: string | undefined;
  const look = async () => {
    const task = await client.task(taskId).catch(() => undefined);
    if (!queued) return;
    const reason = task?.status === 'queued' ? (task.waiting_for ?? undefined) : undefined;
    if (reason !== undefined && reason !== lastReason) onReason(reason);
    lastReason = reason ?? lastReason;
    timer = setTimeout(() => void look(), NEXT_LOOK_MS);
  };
  const close = () => {
    queued = false;
    clearTimeout(timer);
  };
  return {
    statusIs(status) {
      if (status !== 'queued') close();
      else if (!queued) {
        queued = true;
        timer = setTimeout(() => void look(), FIRST_LOOK_MS);
      }
    },
    close,
  };
}
