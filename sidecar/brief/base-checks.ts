/**
 * The task's checks on the untouched tree: what fails before anything was done. A check may hang, print without end or
 * write files, so each has a limit, and the tree is put back as it was, whatever happened. Slow checks go on beside the
 * first call: what is known at `patienceMs` is given at once, the rest later.
 */
import type { Clock, ExecutionEnvironment, OnProgress } from '../ports.ts';
import type { VerificationReport } from '../protocol/result.ts';
import type { VerificationStep } from '../protocol/task.ts';
import type { Essence } from '../essence/types.ts';
import { sleep } from '../system/clock.ts';
import { checkName } from '../verification/correction.ts';
import { runChecks } from '../verification/run-checks.ts';
import type { RunChecksOptions } from '../verification/run-checks.ts';
import type { BaseCheck } from './types.ts';

export interface BaseChecksOptions {
  steps: readonly VerificationStep[];
  /** Of a tree that nothing else changes meanwhile: slow checks need one of their own. */
  env: ExecutionEnvironment;
  workspace: RunChecksOptions['workspace'];
  clock: Clock;
  taskId: string;
  /** Puts the tree back as it was before the checks; called once, when the last of them has ended. */
  restore: () => Promise<void>;
  /** For all checks together. Default 10 minutes. */
  timeoutMs?: number | undefined;
  /** How long the first call waits. Default 60 seconds. */
  patienceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: OnProgress | undefined;
}

export interface BaseChecks {
  /** Those that have ended, in the order of the steps. */
  checks: BaseCheck[];
  /** All of them have. */
  isComplete: boolean;
  /** Every check as it ended and the report; resolves once the tree is restored. Rejects only as `restore` does. */
  finished: Promise<{ checks: BaseCheck[]; report: VerificationReport }>;
}

const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_PATIENCE_MS = 60_000;

export async function runBaseChecks(options: BaseChecksOptions): Promise<BaseChecks> {
  const { patienceMs = DEFAULT_PATIENCE_MS, clock, signal } = options;
  const ended: BaseCheck[] = [];
  const finished = runAll(options, ended);
  // Somebody may only ever look at what is known now.
  finished.catch(() => undefined);
  let isComplete = false;
  const done = new AbortController();
  const mark = finished.then(
    () => {
      isComplete = true;
    },
    () => undefined,
  );
  await Promise.race([
    mark,
    sleep(clock, patienceMs, signal ? AbortSignal.any([signal, done.signal]) : done.signal),
  ]);
  done.abort();
  return { checks: [...ended], isComplete, finished };
}

async function runAll(
  {
    steps,
    env,
    workspace,
    clock,
    taskId,
    restore,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal,
    onEvent,
  }: BaseChecksOptions,
  ended: BaseCheck[],
): Promise<{ checks: BaseCheck[]; report: VerificationReport }> {
  const reports: VerificationReport[] = [];
  const startMs = clock.monotonicMs();
  try {
    for (const step of steps) {
      let essence: Essence | undefined;
      const report = await runChecks([step], {
        env,
        workspace,
        taskId,
        clock,
        runNumber: 0,
        timeoutMs: Math.max(0, timeoutMs - (clock.monotonicMs() - startMs)),
        ...(signal ? { signal } : {}),
        ...(onEvent ? { onEvent } : {}),
        onEssence: (_step, found) => {
          essence = found;
        },
      });
      reports.push(report);
      const [check] = report.checks;
      if (check)
        ended.push({
          name: checkName(check),
          passed: check.status === 'pass',
          essence: essence ?? plainEssence(check.output),
        });
    }
  } finally {
    await restore();
  }
  return { checks: ended, report: joined(reports, { taskId, timeoutMs }) };
}

/** Of a check that ran no command: the line that it says. */
const plainEssence = (output: string): Essence => ({
  runner: 'other',
  failed: [],
  errors: [],
  text: output.slice(0, 600),
});

function joined(
  reports: readonly VerificationReport[],
  { taskId, timeoutMs }: { taskId: string; timeoutMs: number },
): VerificationReport {
  const sum = (key: keyof VerificationReport['summary']): number =>
    reports.reduce((total, { summary }) => total + summary[key], 0);
  const worst = (['fail', 'timeout', 'error', 'skip'] as const).find((status) =>
    reports.some((report) => report.status === status),
  );
  return {
    task_id: taskId,
    run_number: 0,
    status: worst ?? (reports.length === 0 ? 'auto_pass' : 'pass'),
    started_at: reports[0]?.started_at ?? new Date(0).toISOString(),
    duration_ms: reports.reduce((total, report) => total + report.duration_ms, 0),
    timeout_ms: timeoutMs,
    checks: reports.flatMap(({ checks }) => checks),
    summary: {
      total: sum('total'),
      passed: sum('passed'),
      failed: sum('failed'),
      errors: sum('errors'),
      timed_out: sum('timed_out'),
    },
  };
}
