/** What the hub says, passed on to who acts on it. */
import type { HubLinkHandlers } from '../hub-link/types.ts';
import type { Assignments } from './assignments.ts';
import type { Worker } from './worker.ts';

export interface Listeners {
  assignments: Assignments;
  /** The worker is made after the link that it owns. */
  worker: () => Worker;
}

export function linkHandlers({ assignments, worker }: Listeners): HubLinkHandlers {
  return {
    onAssign: (task) => assignments.assign(task),
    onInvalidAssign: ({ taskId, generation, reason }) =>
      assignments.refuse({ task_id: taskId, generation }, `invalid_task: ${reason}`),
    onCancel: (taskId) => assignments.drop(taskId),
    onReassign: (taskId) => assignments.drop(taskId),
    onAbort: (taskId, generation) => assignments.drop(taskId, generation),
    onSteer: (taskId, text) => assignments.steer(taskId, text),
    onRestart: (reason) => void worker().drain(reason, 'restart'),
    onDrain: (reason) => void worker().drain(reason),
    onConnected: () => worker().connectionChanged('ready'),
    onDisconnected: () => {
      assignments.disconnected();
      worker().connectionChanged('connecting');
    },
    onRefused: ({ code, message }) => void worker().stop(code, message),
    onStorageFailed: (error) => void worker().stop('storage_failed', error.message),
  };
}
