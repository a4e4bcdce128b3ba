/** What the hub says, passed on to who acts on it. No decisions here. */
import type { HubLinkHandlers } from '../hub-link/types.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { Assignments } from './assignments.ts';
import type { Worker } from './worker.ts';

export interface Listeners {
  assignments: Assignments;
  active: ActiveTasks;
  /** The worker is made after the link that it owns. */
  worker: () => Worker;
}

export function linkHandlers({ assignments, active, worker }: Listeners): HubLinkHandlers {
  return {
    onAssign: (task) => assignments.assign(task),
    onInvalidAssign: ({ taskId, generation, reason }) =>
      assignments.refuse({ task_id: taskId, generation }, `invalid_task: ${reason}`),
    onCancel: (taskId) => assignments.drop(taskId),
    onReassign: (taskId) => assignments.drop(taskId),
    onAbort: (taskId, generation) => assignments.drop(taskId, generation),
    onSteer: (taskId, text) => active.get(taskId)?.control.steer(text),
    onRestart: (reason) => void worker().drain(reason),
    onConnected: () => worker().connectionChanged('ready'),
    onDisconnected: () => worker().connectionChanged('connecting'),
    onRefused: ({ code, message }) => void worker().stop(code, message),
    onStorageFailed: (error) => void worker().stop('storage_failed', error.message),
  };
}
