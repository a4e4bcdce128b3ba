/** Runs the task's checks in the one tree that only checks see. */
import type { ChangedFile } from '../../applying/index.ts';
import type { ExecutionEnvironment, Outcome, TaskJournal } from '../../ports.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { VerificationStep } from '../../protocol/task.ts';
import { runChecks, type RunChecksOptions } from '../../verification/run-checks.ts';
import type { CheckedState } from '../../workspace/check-tree.ts';
import type { TaskRun } from '../task-run.ts';
import { keepIn, keptIn } from '../journal.ts';
import { writeFiles } from '../tree-files.ts';

/**
 * A change may make the checks run for ever. Where they only choose between drafts or inform the loop, they get a multiple
 * of the time that they took on the base; only the last run has all of the task's limit.
 */
const MIN_TRIAL_MS = 10_000;
const TIMES_BASE = 5;

/** How long checks of a changed tree may take, in milliseconds, where others come after them; `leastMs` in any case. */
export const trialTimeMs = ({ duration_ms: baseMs }: VerificationReport, leastMs = MIN_TRIAL_MS): number =>
  Math.max(leastMs, Math.round(TIMES_BASE * baseMs));

/** Checks that take longer on the base are not waited for before the next draft is asked for. */
const SLOW_CHECKS_MS = 2_000;

export const areSlow = (base: VerificationReport | undefined): boolean =>
  (base?.duration_ms ?? 0) > SLOW_CHECKS_MS;

const MAX_WRITTEN = 200;

export interface CheckOptions {
  state: CheckedState;
  /** A change that is tried: written over the state, and committed there. */
  change?: readonly ChangedFile[];
  /** Which run of the checks it is for the task, from 1. */
  runNumber?: number;
  /** Less than the task's own limit. */
  atMostMs?: number;
  /** Default: all that the task has. */
  steps?: readonly VerificationStep[];
  /** Each check, and why they did not run, is on the timeline. */
  isShown?: boolean;
  /** Hears why they did not run. */
  onFailure?: (reason: string) => void;
  onCheck?: RunChecksOptions['onCheck'];
  /** Ends them. Default: a stop of the task, where it is not stopped already; else its cancel. */
  signal?: AbortSignal;
}

/**
 * The report of the checks that the task came with; undefined where there are none, they are not wanted, or the state is
 * not to be had. It is kept in the journal under `stage`, and read from there when a task goes on after a crash. Throws
 * `StorageError`.
 */
export function runTaskChecks(
  run: TaskRun,
  stage: string,
  options: CheckOptions,
): Promise<VerificationReport | undefined> {
  const { state, change, runNumber = 1, atMostMs = Infinity, steps, isShown, onFailure } = options;
  const { task, emit } = run;
  const wanted = steps ?? task.verification_steps;
  if (task.skip_verification || wanted.length === 0) return Promise.resolve(undefined);
  // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
  const untilStop = run.control.stopReason ? run.control.cancelled : run.control.signal;
  const { signal = untilStop, onCheck } = options;
  return recordedReport(
    run.journal,
    stage,
    async () => {
      const opened = await openCheckTree(run, state, { change, signal });
      if (!opened.ok) {
        const { message } = opened.failure;
        onFailure?.(message);
        if (isShown) emit({ event_type: 'status', text: `The checks could not be run: ${message}` });
        return undefined;
      }
      const { keepsCaches, treeId, close } = opened.value;
      const { env, workspace } = opened.value.run;
      try {
        const key = treeId === undefined || onCheck ? '' : JSON.stringify([treeId, wanted]);
        const known = passedReports(run).get(key);
        if (known && isShown)
          emit({ event_type: 'status', text: 'The checks passed on these files already' });
        if (known) return { ...known, run_number: runNumber };
        const report = await runChecks(wanted, {
          env,
          workspace,
          shownAs: run.workspace.dir,
          taskId: task.task_id,
          runNumber,
          timeoutMs: Math.min(run.limits.verificationTimeoutMs, atMostMs),
          clock: run.clock,
          signal,
          ...(isShown && { onEvent: emit }),
          onCheck,
        });
        // What a run on which a result may rest wrote into the tree.
        const isDeciding = hasCheckTree(run) && (report.status === 'pass' || state === 'commit');
        const written = isDeciding
          ? ((await workspace.uncommittedFiles?.()) ?? []).slice(0, MAX_WRITTEN)
          : [];
        const whole = {
          ...report,
          ...(keepsCaches && { kept_caches: true }),
          ...(written.length > 0 && { written }),
        };
        if (report.status === 'pass' && key !== '') passedReports(run).set(key, whole);
        return whole;
      } finally {
        await close();
      }
    },
    () => signal.aborted,
  );
}

/**
 * The report of the run of the checks that is called `stage`: from the journal, else made and written down, for a task that
 * is resumed must not get another one from later work. What was cut off says nothing of the tree, and is not kept.
 * Throws `StorageError`.
 */
export async function recordedReport(
  journal: TaskJournal | undefined,
  stage: string,
  make: () => Promise<VerificationReport | undefined>,
  isCutOff = (): boolean => false,
): Promise<VerificationReport | undefined> {
  const past = keptIn(journal, stage);
  if (past) return past as VerificationReport;
  const report = await make();
  if (report && !isCutOff()) keepIn(journal, stage, report);
  return report;
}

/** Reports of checks that passed, by their tree: nothing else was there, so that another run would find the same. */
const passed = new WeakMap<TaskRun['control'], Map<string, VerificationReport>>();

function passedReports({ control }: TaskRun): Map<string, VerificationReport> {
  const reports = passed.get(control) ?? new Map<string, VerificationReport>();
  passed.set(control, reports);
  return reports;
}

/** Whether checks have a tree of their own: not every environment has the means. */
export const hasCheckTree = ({ env }: TaskRun): boolean => env.at !== undefined;

/** The run as it is in the tree of the checks; `close` ends what runs there and lets the next one have it. */
interface OpenCheckTree {
  run: TaskRun;
  /** Build output and caches of earlier runs of the checks are still there. */
  keepsCaches: boolean;
  /** The git tree, if nothing else is there. */
  treeId: string | undefined;
  close: () => Promise<void>;
}

/**
 * With a home and a `/tmp` of its own, and the dependencies that the task began with. An environment that knows no other
 * tree than its own runs checks there, of what is in it. The tree is given back where the environment cannot be opened in
 * it; what that rejects with is passed on.
 */
async function openCheckTree(
  run: TaskRun,
  state: CheckedState,
  { change, signal }: { change?: readonly ChangedFile[]; signal: AbortSignal },
): Promise<Outcome<OpenCheckTree>> {
  if (!run.env.at) {
    return !change && (state === 'commit' || state === 'present')
      ? { ok: true, value: { run, keepsCaches: false, treeId: undefined, close: () => Promise.resolve() } }
      : { ok: false, failure: { code: 'no_check_tree', message: 'this environment has one tree only' } };
  }
  const checkedOut = await run.workspace.checkOut(state, signal);
  if (!checkedOut.ok) return checkedOut;
  const tree = checkedOut.value;
  const { dir, gitDirs, cacheDir, keepsCaches, onWrite } = tree;
  let env: ExecutionEnvironment | undefined;
  const close = async (): Promise<void> => {
    try {
      await env?.cleanup();
    } finally {
      tree.release();
    }
  };
  try {
    env = await run.env.at({ dir, gitDirs, cacheDir, onWrite });
    const written = change ? await writeFiles(env, change) : undefined;
    const ready = written?.ok ? await tree.commit() : written;
    if (ready && !ready.ok) {
      await close();
      return ready;
    }
    // Commands see git as it was when their environment was opened.
    if (ready) await env.cleanup();
    await env.initialize();
    const workspace = { ...run.workspace, dir, gitDirs, uncommittedFiles: () => tree.uncommittedFiles() };
    const treeId = await tree.cleanTreeId();
    return { ok: true, value: { run: { ...run, workspace, env }, keepsCaches, treeId, close } };
  } catch (error) {
    await close();
    throw error;
  }
}
