/**
 * Model servers that are down, beyond waiting for them: an idle worker looks whether its servers are up, so that its hub gives
 * it nothing that would only wait; a task that is on hold and has changed nothing goes back to its hub, where another worker
 * may get it.
 */
import type { HubLink } from '../hub-link/hub-link.ts';
import type { ModelServers } from '../model/servers/model-servers.ts';
import type { Clock, Logger } from '../ports.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { every } from '../system/clock.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';

const LOOK_EVERY_MS = 30_000;
/** A server that is back within this time finds its tasks where they were. */
const MIN_HOLD_MS = 60_000;
const RETURN_EVERY_MS = 10_000;

export interface ServerWatchOptions {
  active: ActiveTasks;
  servers: Pick<ModelServers, 'look' | 'downReason'>;
  link: Pick<HubLink, 'dialect'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Looks now and from time to time, until `opened` is closed. The function that it gives hands back at once all that is on
 * hold: for a hub that gives no new task for now.
 */
export function watchServers(options: ServerWatchOptions, opened: CleanupStack): () => void {
  const { active, clock, servers } = options;
  // Tasks find out by their own calls.
  const look = () => {
    if (active.size === 0) void servers.look();
  };
  look();
  opened.add(every(clock, LOOK_EVERY_MS, look));
  opened.add(
    every(clock, RETURN_EVERY_MS, () => {
      // While one of them is up the hub would give the task to this worker again.
      if (servers.downReason !== undefined) giveBack(options, MIN_HOLD_MS);
    }),
  );
  return () => giveBack(options, 0);
}

/** Gives back what has been on hold for `minHoldMs` and has changed nothing, where the hub counts no attempt for it. */
function giveBack(options: ServerWatchOptions, minHoldMs: number): void {
  const { active, clock, link } = options;
  if (!link.dialect.readsStatus) return;
  for (const task of active.all()) {
    const { hold } = task.control;
    if (hold && clock.monotonicMs() - hold.sinceMs >= minHoldMs) void giveBackUnchanged(options, task);
  }
}

async function giveBackUnchanged({ servers, logger }: ServerWatchOptions, active: ActiveTask): Promise<void> {
  const { control, task } = active;
  const { hold } = control;
  const isUnchanged = await hold?.hasChangedNothing();
  // It may go on by now, or have been stopped.
  if (!isUnchanged || control.hold !== hold || control.stopReason !== undefined) return;
  logger.info(
    { task_id: task.task_id },
    'A task is given back: its model server is down, and it has changed nothing',
  );
  const reason = servers.downReason ?? 'no model server answers that has its model';
  active.returnedFor = `worker_model_away: ${reason}`;
  // Nothing of it is checked or reported.
  control.stop('cancelled');
}
