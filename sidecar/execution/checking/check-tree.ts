/** Runs the task's checks on the tree of a run. */
import type { VerificationReport } from '../../protocol/result.ts';
import { runChecks } from '../../verification/run-checks.ts';
import type { TaskRun } from '../task/task-run.ts';
import { recordedReport } from './recorded-report.ts';

/**
 * The report of the checks that the task came with; undefined where there are none or they are not wanted. It is kept
 * in the journal under `stage`, and read from there when a task goes on after a crash. Throws `StorageError`.
 */
export function checkTree(
  run: TaskRun,
  stage: string,
  runNumber = 1,
): Promise<VerificationReport | undefined> {
  const { task } = run;
  if (task.skip_verification || task.verification_steps.length === 0) return Promise.resolve(undefined);
  return recordedReport(run.journal, stage, () =>
    runChecks(task.verification_steps, {
      env: run.env,
      workspace: run.workspace,
      taskId: task.task_id,
      runNumber,
      timeoutMs: run.limits.verificationTimeoutMs,
      clock: run.clock,
      // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
      signal: run.control.stopReason ? undefined : run.control.signal,
      onEvent: run.emit,
    }),
  );
}
