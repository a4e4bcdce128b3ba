/** Declares the endings of a stage: one of a closed set of reasons, with a text for users. */
import type { TerminationReason, VerificationReport } from '../../base/protocol/result.ts';
import type { TaskRun } from './task-run.ts';

/** Reason for the end of a stage, with its details. */
export interface Ending {
  reason: TerminationReason;
  /** Text for users: the cause and, if there is one, the remedy. */
  detail?: string;
  /** Stable code of a failure, if the hub uses it. */
  code?: string | undefined;
  /** The final answer. */
  output?: string;
  /** Whether the output ends with a note that its code is in no file. */
  hasCodeNote?: boolean;
  /** Report of the command of a shell task. The command is its own check, so the report replaces the verification. */
  report?: VerificationReport;
}

/** Returns the ending of a task that was stopped from outside. Must be called after the stop. */
export function createStoppedEnding({ control, limits }: Pick<TaskRun, 'control' | 'limits'>): Ending {
  const reason = control.stopReason ?? 'cancelled';
  const seconds = Math.round(limits.timeoutMs / 1000);
  const details = {
    cancelled: 'cancelled by the hub',
    shutdown: 'the worker is shutting down',
    timeout: control.isPartOfTask
      ? `the attempt reached its time limit of ${seconds} s`
      : `the task reached its time limit of ${seconds} s`,
  };
  return { reason, detail: details[reason] };
}
