/** Runs the task's checks in the check tree. */
import { createHash } from 'node:crypto';
import type { ChangedFile } from '../../../parsing/apply-edits/index.ts';
import type { ExecutionEnvironment } from '../../../base/ports.ts';
import type { VerificationReport } from '../../../base/protocol/result.ts';
import type { VerificationStep } from '../../../base/protocol/task.ts';
import { runChecks, type RunChecksOptions } from '../../verification/run-checks.ts';
import type { CheckedState } from '../../../workspace/check-tree.ts';
import type { TaskRun } from '../task-run.ts';
import { writeFiles } from '../tree-files.ts';
import type { Outcome } from '../../../base/values/outcome.ts';

/**
 * Minimum time limit of trials, since a change may make the checks run forever. Trials are limited to a multiple of the time on the base;
 * the deciding run has the limit of the task.
 */
const MIN_TRIAL_MS = 10_000;
const BASE_TIME_FACTOR = 5;

/** Returns the time limit, in milliseconds, of checks that only choose between drafts or inform the loop. */
export const computeTrialTimeMs = (
  { duration_ms: baseMs }: VerificationReport,
  minMs = MIN_TRIAL_MS,
): number => Math.max(minMs, Math.round(BASE_TIME_FACTOR * baseMs));

const SLOW_CHECKS_MS = 2_000;

/** Returns whether checks are so slow that the next draft is requested before they have ended. */
export const areChecksSlow = (base: VerificationReport | undefined): boolean =>
  (base?.duration_ms ?? 0) > SLOW_CHECKS_MS;

const MAX_WRITTEN_FILES = 200;

export interface CheckOptions {
  state: CheckedState;
  /** A change to try. It is written over the state and committed there. */
  change?: readonly ChangedFile[];
  /** Number of this verification in the task, from 1. */
  runNumber?: number;
  /** Time limit; at most the task's own limit. */
  maxMs?: number;
  /** Checks to run. Default: all steps of the task. */
  steps?: readonly VerificationStep[];
  /** Whether each check, and a failure to run the checks, is emitted as an event. */
  emitsEvents?: boolean;
  /** Called with the reason if the checks could not run. */
  onFailure?: (reason: string) => void;
  onCheck?: RunChecksOptions['onCheck'];
  /** Aborts the checks. Default: any stop of the task or, if it is stopped already, only its cancellation. */
  signal?: AbortSignal;
}

/** Options of checks that run, with their defaults. */
type RunningCheckOptions = CheckOptions &
  Required<Pick<CheckOptions, 'signal' | 'steps' | 'runNumber'>> & { timeoutMs: number };

/**
 * Returns the report of the task's checks; undefined if there are none, they are skipped, or the state cannot be checked out. A report
 * depends only on the tree and the checks, so a report in the journal is reused. Throws `StorageError`.
 */
export async function runTaskChecks(
  run: TaskRun,
  options: CheckOptions,
): Promise<VerificationReport | undefined> {
  const { task, emit, control, limits } = run;
  const {
    steps = task.verification_steps,
    maxMs = Infinity,
    runNumber = 1,
    emitsEvents,
    onFailure,
  } = options;
  if (task.skip_verification || steps.length === 0) return undefined;
  // The stop that ended the work must not end its verification.
  const { signal = control.stopReason ? control.cancelled : control.signal } = options;
  const timeoutMs = Math.min(limits.verificationTimeoutMs, maxMs);
  const running = { ...options, steps, runNumber, signal, timeoutMs };
  const opened = await openCheckTree(run, running);
  if (!opened.ok) {
    const { message } = opened.failure;
    onFailure?.(message);
    if (emitsEvents) emit({ event_type: 'status', text: `The checks could not be run: ${message}` });
    return undefined;
  }
  try {
    return recallReport(opened.value, running) ?? (await runInTree(opened.value, running));
  } finally {
    await opened.value.close();
  }
}

type Essence = Parameters<NonNullable<CheckOptions['onCheck']>>[1];

/** A report with the essence of each check. */
interface KnownReport {
  report: VerificationReport;
  essences: (NonNullable<Essence> | null)[];
}

/** Returns whether the report decides a result. Such a run reuses only reports of clean trees; trials reuse any report. */
const isDeciding = ({ state }: CheckOptions): boolean => state === 'commit' || typeof state === 'object';

/** Returns the journal's fact for the report of a tree; undefined if git's hash of the tree is unknown. */
function factOf(kind: 'sound' | 'trial', { id }: OpenCheckTree, { steps }: RunningCheckOptions) {
  const key = createHash('sha256').update(JSON.stringify([id, steps]));
  return id === undefined
    ? undefined
    : { kind: 'result' as const, stage: `check ${kind} ${key.digest('hex')}`, round: 1 };
}

/** Returns the journal's report of a tree, if it is valid for these options: checks that timed out may pass with more time. */
function recallReport(tree: OpenCheckTree, options: RunningCheckOptions): VerificationReport | undefined {
  const { emitsEvents, onCheck, runNumber, timeoutMs } = options;
  const { control, emit } = tree.run;
  const known = (isDeciding(options) ? (['sound'] as const) : (['sound', 'trial'] as const))
    .flatMap((kind) => factOf(kind, tree, options) ?? [])
    .map((fact) => control.journal.recall(fact) as KnownReport | undefined)
    .find((one) => one && (one.report.summary.timed_out === 0 || one.report.timeout_ms >= timeoutMs));
  if (!known) return undefined;
  const { passed, total } = known.report.summary;
  if (emitsEvents)
    emit({
      event_type: 'status',
      text: `The same files were checked before: ${passed} of ${total} checks pass`,
    });
  for (const [index, check] of known.report.checks.entries())
    onCheck?.(check, known.essences[index] ?? undefined);
  return { ...known.report, run_number: runNumber };
}

/** Runs the checks and records their report, unless it was aborted. */
async function runInTree(tree: OpenCheckTree, options: RunningCheckOptions): Promise<VerificationReport> {
  const { env, workspace, task, clock, emit, control } = tree.run;
  const { steps, state, runNumber, emitsEvents, onCheck, signal, timeoutMs } = options;
  const essences: KnownReport['essences'] = [];
  const ran = await runChecks(steps, {
    env,
    workspace,
    shownAs: tree.shownAs,
    taskId: task.task_id,
    runNumber,
    timeoutMs,
    clock,
    signal,
    ...(emitsEvents && { onEvent: emit }),
    onCheck: (check, essence) => {
      essences.push(essence ?? null);
      onCheck?.(check, essence);
    },
  });
  // Files that the checks wrote matter only in runs that can decide a result.
  const showsWrites = tree.id !== undefined && (ran.status === 'pass' || state === 'commit');
  const written = showsWrites ? (await workspace.listUncommittedFiles()).slice(0, MAX_WRITTEN_FILES) : [];
  const report = {
    ...ran,
    ...(tree.hasOldCaches && { kept_caches: true }),
    ...(written.length > 0 && { written }),
  };
  const fact = factOf(tree.isClean ? 'sound' : 'trial', tree, options);
  // A check that could not be run may succeed the next time.
  if (fact && !signal.aborted && report.summary.errors === 0)
    control.journal.recordSoon({ ...fact, body: { report, essences } satisfies KnownReport });
  return report;
}

/** A run in the check tree. `close` ends its processes and releases the tree. */
interface OpenCheckTree {
  run: TaskRun;
  /** git's hash of the content; undefined if git fails. */
  id: string | undefined;
  /** Folder that outputs show in place of the tree's own folder. */
  shownAs: string;
  /** Whether the tree contains only files of its commit, or was created to verify a result. */
  isClean: boolean;
  /** Whether build output and caches of earlier verifications are still there. */
  hasOldCaches: boolean;
  close: () => Promise<void>;
}

/**
 * Opens the tree of a state with its own home and `/tmp`, and the dependencies that the task began with. Rejects if the environment cannot
 * be opened, after the tree is released.
 */
async function openCheckTree(run: TaskRun, options: RunningCheckOptions): Promise<Outcome<OpenCheckTree>> {
  const { state, change, signal } = options;
  const checkedOut = await run.workspace.checkOut(state, signal);
  if (!checkedOut.ok) return checkedOut;
  const tree = checkedOut.value;
  const { dir, gitDirs, cacheDir, hasOldCaches, onWrite } = tree;
  let env: ExecutionEnvironment | undefined;
  const close = async (): Promise<void> => {
    try {
      await env?.cleanup();
    } finally {
      tree.release();
    }
  };
  try {
    env = await run.env.openTree({ dir, gitDirs, cacheDir, onWrite });
    const written = change ? await writeFiles(env, change) : undefined;
    const ready = written?.ok ? await tree.commit() : written;
    if (ready && !ready.ok) {
      await close();
      return ready;
    }
    // Commands see the state of git from the time when their environment was opened.
    if (ready) await env.cleanup();
    const [id, isClean] = await Promise.all([
      tree.readTreeId(),
      isDeciding(options) || tree.isClean(),
      env.initialize(),
    ]);
    const workspace = {
      ...run.workspace,
      dir,
      gitDirs,
      listUncommittedFiles: () => tree.listUncommittedFiles(),
    };
    const opened = { ...run, workspace, env };
    return { ok: true, value: { run: opened, shownAs: run.workspace.dir, id, isClean, hasOldCaches, close } };
  } catch (error) {
    await close();
    throw error;
  }
}
