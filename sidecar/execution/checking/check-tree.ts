/** Runs the task's checks on the tree of a run. */
import type { VerificationReport } from '../../protocol/result.ts';
import { runChecks } from '../../verification/run-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { recordedReport } from './recorded-report.ts';

/**
 * A change may make the checks run for ever. Where they only choose between drafts or inform the loop, they get a multiple
 * of the time that they took on the untouched tree; only the last run has all of the task's limit.
 */
const MIN_TRIAL_MS = 10_000;
const TIMES_BASE = 5;

/** How long checks of a changed tree may take, in milliseconds, where others come after them; `leastMs` in any case. */
export const trialTimeMs = ({ duration_ms: baseMs }: VerificationReport, leastMs = MIN_TRIAL_MS): number =>
  Math.max(leastMs, Math.round(TIMES_BASE * baseMs));

/** Checks that take longer on the untouched tree are not waited for before the next draft is asked for. */
const SLOW_CHECKS_MS = 2_000;

export const areSlow = (base: VerificationReport | undefined): boolean =>
  (base?.duration_ms ?? 0) > SLOW_CHECKS_MS;

export interface CheckOptions {
  /** Which run of the checks it is for the task, from 1. */
  runNumber?: number;
  /** Less than the task's own limit. */
  atMostMs?: number;
}

/**
 * The report of the checks that the task came with; undefined where there are none or they are not wanted. It is kept
 * in the journal under `stage`, and read from there when a task goes on after a crash. Throws `StorageError`.
 */
export function checkTree(
  run: TaskRun,
  stage: string,
  { runNumber = 1, atMostMs = Infinity }: CheckOptions = {},
): Promise<VerificationReport | undefined> {
  const { task } = run;
  if (task.skip_verification || task.verification_steps.length === 0) return Promise.resolve(undefined);
  // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
  const signal = run.control.stopReason ? run.control.cancelled : run.control.signal;
  return recordedReport(
    run.journal,
    stage,
    () =>
      runChecks(task.verification_steps, {
        env: run.env,
        workspace: run.workspace,
        taskId: task.task_id,
        runNumber,
        timeoutMs: Math.min(run.limits.verificationTimeoutMs, atMostMs),
        clock: run.clock,
        signal,
        onEvent: run.emit,
      }),
    { isCutOff: () => signal.aborted },
  );
}
