/** Runs the task's checks in the one tree that only checks see. */
import { createHash } from 'node:crypto';
import type { ChangedFile } from '../../applying/index.ts';
import type { ExecutionEnvironment, Outcome } from '../../ports.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { VerificationStep } from '../../protocol/task.ts';
import { runChecks, type RunChecksOptions } from '../../verification/run-checks.ts';
import type { CheckedState } from '../../workspace/check-tree.ts';
import type { TaskRun } from '../task-run.ts';
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
 * Returns the report of the checks that the task came with; undefined where there are none, they are not wanted, or the
 * state is not to be had. It follows from the tree and the checks alone, so a tree that they have seen is not checked again,
 * in this life of the task or a later one. Throws `StorageError`.
 */
export async function runTaskChecks(
  run: TaskRun,
  options: CheckOptions,
): Promise<VerificationReport | undefined> {
  const { state, change, steps, isShown, onFailure } = options;
  const { task, emit } = run;
  const wanted = steps ?? task.verification_steps;
  if (task.skip_verification || wanted.length === 0) return undefined;
  // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
  const untilStop = run.control.stopReason ? run.control.cancelled : run.control.signal;
  const { signal = untilStop } = options;
  const opened = await openCheckTree(run, state, { change, signal });
  if (!opened.ok) {
    const { message } = opened.failure;
    onFailure?.(message);
    if (isShown) emit({ event_type: 'status', text: `The checks could not be run: ${message}` });
    return undefined;
  }
  try {
    return await knownReport(opened.value, wanted, { ...options, signal });
  } finally {
    await opened.value.close();
  }
}

type Essence = Parameters<NonNullable<CheckOptions['onCheck']>>[1];

/** A report with what was heard of each check. */
interface Known {
  report: VerificationReport;
  essences: (NonNullable<Essence> | null)[];
}

/** Returns the report that the journal has of the tree, else a new one, which is written down unless it was cut off. */
async function knownReport(
  tree: OpenCheckTree,
  steps: readonly VerificationStep[],
  options: CheckOptions & { signal: AbortSignal },
): Promise<VerificationReport> {
  const { journal, limits, emit } = tree.run;
  const { state, runNumber = 1, isShown, onCheck, atMostMs = Infinity, signal } = options;
  const timeoutMs = Math.min(limits.verificationTimeoutMs, atMostMs);
  // A result rests on runs that found no more than these files; trials may rest on others, too.
  const isDeciding = state === 'commit' || typeof state === 'object';
  const isSound = isDeciding || tree.isClean;
  const factOf = (kind: 'sound' | 'trial') => {
    const key = createHash('sha256')
      .update(JSON.stringify([tree.id, steps]))
      .digest('hex');
    return { kind: 'result' as const, stage: `check ${kind} ${key}`, round: 1 };
  };
  const facts = tree.id === undefined ? [] : [factOf('sound'), ...(isDeciding ? [] : [factOf('trial')])];
  const known = facts
    .map((fact) => journal.recall(fact) as Known | undefined)
    .find((one) => isEnough(one, timeoutMs));
  if (known) {
    const { report, essences } = known;
    const { passed, total } = report.summary;
    if (isShown)
      emit({ event_type: 'status', text: `The checks have seen these files: ${passed} of ${total} pass` });
    for (const [index, check] of report.checks.entries()) onCheck?.(check, essences[index] ?? undefined);
    return { ...report, run_number: runNumber };
  }
  const essences: Known['essences'] = [];
  const report = await checkTree(tree, steps, {
    ...options,
    runNumber,
    timeoutMs,
    onCheck: (check, essence) => {
      essences.push(essence ?? null);
      onCheck?.(check, essence);
    },
  });
  const fact = facts.at(isSound ? 0 : -1);
  // A check that could not be run may be run the next time.
  const isKept = !signal.aborted && report.summary.errors === 0;
  if (fact && isKept) journal.recordSoon(fact, { report, essences } satisfies Known);
  return report;
}

/** Whether a known report says what a run with this limit would say: one that ran out of time may pass with more of it. */
const isEnough = (known: Known | undefined, timeoutMs: number): boolean =>
  known !== undefined && (known.report.summary.timed_out === 0 || known.report.timeout_ms >= timeoutMs);

async function checkTree(
  { run, id, shownAs, keepsCaches }: OpenCheckTree,
  steps: readonly VerificationStep[],
  { state, runNumber, timeoutMs, isShown, onCheck, signal }: CheckingOptions,
): Promise<VerificationReport> {
  const { env, workspace, task, clock, emit } = run;
  const report = await runChecks(steps, {
    env,
    workspace,
    shownAs,
    taskId: task.task_id,
    runNumber,
    timeoutMs,
    clock,
    signal,
    ...(isShown && { onEvent: emit }),
    onCheck,
  });
  // What a run on which a result may rest wrote into the tree.
  const showsWrites = id !== undefined && (report.status === 'pass' || state === 'commit');
  const written = showsWrites ? (await workspace.uncommittedFiles()).slice(0, MAX_WRITTEN) : [];
  return {
    ...report,
    ...(keepsCaches && { kept_caches: true }),
    ...(written.length > 0 && { written }),
  };
}

interface CheckingOptions extends Pick<CheckOptions, 'state' | 'isShown' | 'onCheck' | 'signal'> {
  runNumber: number;
  timeoutMs: number;
}

/** Whether checks have a tree of their own: not every environment has the means. */
export const hasCheckTree = ({ env }: TaskRun): boolean => env.at !== undefined;

/** The run as it is in the tree of the checks; `close` ends what runs there and lets the next one have it. */
interface OpenCheckTree {
  run: TaskRun;
  /** git's name of what is in the tree; undefined where the checks have no tree of their own. */
  id: string | undefined;
  /** The folder that outputs are to name. */
  shownAs: string;
  /** Nothing else is there. */
  isClean: boolean;
  /** Build output and caches of earlier runs of the checks are still there. */
  keepsCaches: boolean;
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
  const common = { run, shownAs: run.workspace.dir };
  if (!run.env.at) {
    return !change && (state === 'commit' || state === 'present')
      ? {
          ok: true,
          value: {
            ...common,
            id: undefined,
            isClean: false,
            keepsCaches: false,
            close: () => Promise.resolve(),
          },
        }
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
    const opened = { ...common, run: { ...run, workspace, env } };
    return { ok: true, value: { ...opened, ...(await tree.content()), keepsCaches, close } };
  } catch (error) {
    await close();
    throw error;
  }
}
