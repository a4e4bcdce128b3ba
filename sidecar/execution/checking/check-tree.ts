/** Runs the task's checks: in the one tree that only checks see, or in a copy in which a draft is tried. */
import type { Outcome } from '../../ports.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { VerificationStep } from '../../protocol/task.ts';
import { runChecks } from '../../verification/run-checks.ts';
import type { CheckedState } from '../../workspace/check-tree.ts';
import type { TaskRun } from '../task/task-run.ts';
import { recordedReport } from './recorded-report.ts';
import { noOtherTree, runBeside, type RunBeside } from './run-beside.ts';

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
  /** What is checked, in the tree of the checks. Default: the run's own tree, which is a copy. */
  state?: CheckedState;
  /** Which run of the checks it is for the task, from 1. */
  runNumber?: number;
  /** Less than the task's own limit. */
  atMostMs?: number;
  /** Default: all that the task has. */
  steps?: readonly VerificationStep[];
}

/**
 * The report of the checks that the task came with; undefined where there are none, they are not wanted, or the state is
 * not to be had. It is kept in the journal under `stage`, and read from there when a task goes on after a crash. Throws
 * `StorageError`.
 */
export function checkTree(
  run: TaskRun,
  stage: string,
  { state, runNumber = 1, atMostMs = Infinity, steps = run.task.verification_steps }: CheckOptions = {},
): Promise<VerificationReport | undefined> {
  const { task } = run;
  if (task.skip_verification || steps.length === 0) return Promise.resolve(undefined);
  // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
  const signal = run.control.stopReason ? run.control.cancelled : run.control.signal;
  const runIn = ({ env, workspace }: TaskRun): Promise<VerificationReport> =>
    runChecks(steps, {
      env,
      workspace,
      shownAs: run.workspace.dir,
      taskId: task.task_id,
      runNumber,
      timeoutMs: Math.min(run.limits.verificationTimeoutMs, atMostMs),
      clock: run.clock,
      signal,
      onEvent: run.emit,
    });
  return recordedReport(
    run.journal,
    stage,
    async () => {
      if (state === undefined) return runIn(run);
      const opened = await openCheckTree(run, state, signal);
      if (!opened.ok) {
        run.emit({ event_type: 'status', text: `The checks could not be run: ${opened.failure.message}` });
        return undefined;
      }
      try {
        const report = await runIn(opened.value.run);
        return opened.value.keepsCaches ? { ...report, kept_caches: true } : report;
      } finally {
        await opened.value.close();
      }
    },
    { isCutOff: () => signal.aborted },
  );
}

/** The run as it is in the tree of the checks; `close` lets the next one have it. */
export interface OpenCheckTree extends RunBeside {
  /** What earlier runs of the checks built or cached is still there. */
  keepsCaches: boolean;
}

/**
 * With a home and a `/tmp` of its own, and the dependencies that the task began with. An environment that knows no other
 * tree than its own runs checks there, of what is in it.
 */
export async function openCheckTree(
  run: TaskRun,
  state: CheckedState,
  signal: AbortSignal,
): Promise<Outcome<OpenCheckTree>> {
  if (!run.env.at) {
    return state === 'commit' || state === 'present'
      ? { ok: true, value: { run, keepsCaches: false, close: () => Promise.resolve() } }
      : noOtherTree;
  }
  const checkedOut = await run.workspace.checkOut(state, signal);
  if (!checkedOut.ok) return checkedOut;
  const { dir, gitDirs, cacheDir, keepsCaches } = checkedOut.value;
  const opened = await runBeside(run, { dir, gitDirs, cacheDir }, checkedOut.value);
  return opened.ok ? { ok: true, value: { ...opened.value, keepsCaches } } : opened;
}
