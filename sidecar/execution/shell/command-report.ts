/** The report that stands for the checks of a task whose work was a command. */
import type { VerificationReport } from '../../protocol/result.ts';
import type { TaskRun } from '../task/task-run.ts';

export interface FailedCommand {
  command: string;
  durationMs: number;
  /** How it failed. */
  detail: string;
}

/** The command is its own check: it ran, and it failed. */
export function failedReport(
  { task, limits, clock }: TaskRun,
  { command, durationMs: exactMs, detail }: FailedCommand,
): VerificationReport {
  const durationMs = Math.round(exactMs);
  return {
    task_id: task.task_id,
    run_number: 1,
    status: 'fail',
    started_at: new Date(clock.now() - durationMs).toISOString(),
    duration_ms: durationMs,
    timeout_ms: limits.timeoutMs,
    checks: [
      {
        type: 'command_succeeds',
        target: command,
        description: '',
        status: 'fail',
        output: detail,
        duration_ms: durationMs,
      },
    ],
    summary: { total: 1, passed: 0, failed: 1, errors: 0, timed_out: 0 },
  };
}
