/** How a stage of a task ended: one of a closed set of reasons, with a text for users. */
import type { TerminationReason, VerificationReport } from '../../base/protocol/result.ts';
import type { TaskRun } from './task-run.ts';

/** Reason for the end of a stage, with its details. */
export interface Ending {
  reason: TerminationReason;
  /** Text for users: what happened and, if it helps, what to do. */
  detail?: string;
  /** Stable code of a failure, if the hub uses it. */
  code?: string | undefined;
  /** The final answer. */
  output?: string;
  /** Report of a shell task's command, which is a check itself; replaces the verification. */
  report?: VerificationReport;
}

/** Returns the ending of a task that was stopped from outside. Call it after the stop. */
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
