/** How a stage of a task ended: one of a closed set of reasons, with words for users. */
import type { TerminationReason, VerificationReport } from '../../base/protocol/result.ts';
import type { TaskRun } from './task-run.ts';

/** Why a stage is over. */
export interface Ending {
  reason: TerminationReason;
  /** For users: what happened and, if it helps, what to do. */
  detail?: string;
  /** The stable code of a failure, if the hub decides by it. */
  code?: string | undefined;
  /** The final answer. */
  output?: string;
  /** The report in place of the checks', if the work was a check itself: a shell task's command. */
  report?: VerificationReport;
}

/** The ending of a task that was stopped from outside. Call it once the task is stopped. */
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
