/**
 * Watches the model servers of a worker for its hub: whether they are up, and which models they can run. A task that is on hold and has
 * changed nothing is returned to its hub, so that another worker may get it.
 */
import type { HubLink } from './hub-link/hub-link.ts';
import { isSameModel } from '../model/choose-model.ts';
import type { ModelServers } from '../model/servers/model-servers.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { CleanupStack } from '../base/system/cleanup-stack.ts';
import { runEvery } from '../base/system/clock.ts';
import type { ActiveTask, ActiveTasks } from './active-tasks.ts';

const CHECK_INTERVAL_MS = 30_000;
/** Minimum time on hold before a task is returned; a server that recovers earlier finds its tasks on this worker. */
const MIN_HOLD_MS = 60_000;
const RETURN_INTERVAL_MS = 10_000;

export interface ServerWatchOptions {
  active: ActiveTasks;
  servers: Pick<ModelServers, 'checkAll' | 'downReason' | 'downNotice' | 'models' | 'onChange'>;
  link: Pick<HubLink, 'hub' | 'reportStatus'>;
  /** Returns why no task without a named model can be run, or undefined. */
  explainNoModel: () => string | undefined;
  clock: Clock;
  logger: Logger;
}

export interface ServerWatch {
  /** Gives all tasks on hold back to a hub that drains this worker. */
  returnTasksOnHold: () => void;
  /** Reads the state of the servers and reports it to the hub. Never rejects. */
  checkServers: () => Promise<void>;
}

/** Reports the state of the servers at intervals and with each change, until `opened` is closed. */
export function watchServers(options: ServerWatchOptions, opened: CleanupStack): ServerWatch {
  const { clock, servers, link, explainNoModel } = options;
  let lastReport = '';
  const report = (): void => {
    const { downReason: notReady, downNotice: notice, models } = servers;
    const status = { notReady, needsModel: explainNoModel(), notice, models };
    if (lastReport === (lastReport = JSON.stringify(status))) return;
    link.reportStatus(status);
  };
  const checkServers = async (): Promise<void> => {
    await servers.checkAll();
    report();
  };
  servers.onChange(() => {
    report();
    // A server that is up again may have other models than before.
    void checkServers();
  });
  report();
  opened.add(runEvery(clock, CHECK_INTERVAL_MS, () => void checkServers()));
  opened.add(
    runEvery(clock, RETURN_INTERVAL_MS, () => {
      returnLongHeldTasks(options, MIN_HOLD_MS);
    }),
  );
  return { returnTasksOnHold: () => returnLongHeldTasks(options, 0), checkServers };
}

/**
 * Returns tasks to the hub that were on hold for at least `minHoldMs` and changed nothing, if the hub counts no attempt
 * for that.
 */
function returnLongHeldTasks(options: ServerWatchOptions, minHoldMs: number): void {
  const { active, clock, link } = options;
  if (!link.hub.features.worker_status) return;
  for (const task of active.list()) {
    const { hold } = task.control;
    if (minHoldMs > 0 && wouldBeReassigned(options, task)) continue;
    if (hold && clock.monotonicMs() - hold.sinceMs >= minHoldMs) void returnIfUnchanged(options, task);
  }
}

/** Returns whether the hub would give the task to this worker again: a server is up, and has the model that the task names, if any. */
function wouldBeReassigned({ servers, explainNoModel }: ServerWatchOptions, { task }: ActiveTask): boolean {
  const modelName = task.routing_decision?.selected_model;
  if (servers.downReason !== undefined) return false;
  return modelName === undefined
    ? explainNoModel() === undefined
    : servers.models?.some((name) => isSameModel(name, modelName)) !== false;
}

async function returnIfUnchanged({ servers, logger }: ServerWatchOptions, active: ActiveTask): Promise<void> {
  const { control, task } = active;
  const { hold } = control;
  const isUnchanged = await hold?.hasChangedNothing();
  // The task may be running again by now, or be stopped.
  if (!isUnchanged || control.hold !== hold || control.stopReason !== undefined) return;
  logger.info(
    { task_id: task.task_id },
    'Returned a task to the hub: its model server is down, and the task has changed nothing',
  );
  const reason = servers.downReason ?? 'no reachable model server has the model of the task';
  active.returnReason = `worker_model_away: ${reason}`;
  // The run ends without checks or a report.
  control.stop('cancelled');
}
