/** The ending of a task that was stopped from outside, in words. */
import type { Ending } from './ending.ts';
import type { TaskRun } from './task-run.ts';

/** Call it once the task is stopped; the first reason is the one that counts. */
export function stoppedEnding({ control, limits }: Pick<TaskRun, 'control' | 'limits'>): Ending {
  const reason = control.stopReason ?? 'cancelled';
  const seconds = Math.round(limits.timeoutMs / 1000);
  const details = {
    cancelled: 'cancelled by the hub',
    shutdown: 'the worker is shutting down',
    timeout: control.isPart ? `the attempt's ${seconds} s are over` : `wall clock of ${seconds} s is over`,
  };
  return { reason, detail: details[reason] };
}
