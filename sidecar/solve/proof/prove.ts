/**
 * Whether checks that pass prove the work. Where the task touched what the checks run, they are run again with the base's
 * versions of those files over the changed tree, and both runs must pass. Fewer tests than before and programs in the place of a runner are no proof either way. What is found is named.
 */
import type { Changes, CheckResult, VerificationReport } from '../../protocol/result.ts';
import { isCode, isTest } from '../../brief/left-out.ts';
import { permittedBy } from '../../task/checking/changeable.ts';
import { runTaskChecks } from '../../task/checking/run-task-checks.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { goesOn } from '../../workspace/follow-up-patch.ts';
import type { ChecksProof } from '../../verification/build-result.ts';
import { failingChecks, namesOf } from '../../verification/correction.ts';
import { readText } from '../../task/tree-files.ts';
import { findCheckFiles, type CheckedFiles } from './check-files.ts';
import { specialCaseOf } from './special-case.ts';
import { changesOwnTests } from './tests-in-sources.ts';
import { changedChecks, fewerTests, shadows, tampering, type ChangedSource } from './findings.ts';

export interface ProofInput {
  run: TaskRun;
  ending: Ending;
  changes: Changes;
  /** The last report of the checks. */
  report: VerificationReport | undefined;
  /** The checks' report of the base, where the way of solving learned it. */
  base: VerificationReport | undefined;
  /** An earlier life of the task worked in a folder that is no worktree: nothing shows what it changed. */
  isResumed: boolean;
}

/** Names of the stages in the journal. */
const STAGES = { base: 'proof-base', second: 'proof-check' } as const;

const KEPT_CACHES =
  'The checks found build folders or caches of their own earlier runs: without these they take 10 s or more.';

/** Checks that pass, with their report from before the work. */
interface Passed extends ProofInput {
  report: VerificationReport;
}

type Found = Omit<ChecksProof, 'base'>;

/** Runs what has to be run for it. Rejects only for a failing disk. */
export async function prove(input: ProofInput): Promise<ChecksProof> {
  const { run, report, changes } = input;
  if (report?.status !== 'pass') return { doubts: [], notes: [], base: input.base };
  // A follow-up begins with earlier work: what the checks say of that is not what they say of its base.
  const base = (goesOn(run.task.metadata) ? undefined : input.base) ?? (await lateBase(run));
  const passed = { ...input, report, base };
  const found = changes.files.length === 0 ? unchanged(passed) : await changed(passed);
  return { ...found, notes: [...found.notes, ...(report.kept_caches ? [KEPT_CACHES] : [])], base };
}

/** Checks that passed before the work do not separate half of it from the whole; only who did it could say that it is done. */
function cutOff({ ending, base }: Passed): string[] {
  const isFinished = ending.reason === 'final_answer' || ending.reason === 'exit_code';
  if (base === undefined) return ['It is not known what the checks said before the work.'];
  if (isFinished || base.status !== 'pass') return [];
  return [
    `The work was stopped (${ending.reason}) before it was said to be done, and the checks passed before it, too.`,
  ];
}

const isCommand = ({ type }: { type: string }): boolean =>
  type === 'command_succeeds' || type === 'test_passes';

/**
 * Checks that pass on a tree in which nothing changed say nothing of the work. A command that is itself the task may have
 * worked on files that git ignores: then the checks failed before it.
 */
function unchanged({ run, ending, isResumed, base }: Passed): Found {
  const failedBefore = base !== undefined && base.status !== 'pass';
  const isProof = run.limits.readOnly || isResumed || (failedBefore && ending.reason === 'exit_code');
  if (isProof) return { doubts: [], notes: [] };
  const doubt = failedBefore
    ? 'The checks pass, but nothing was changed.'
    : 'The checks passed already, nothing was changed.';
  const isWorkLeft = ending.reason === 'final_answer';
  return { doubts: [doubt], notes: [], ...(isWorkLeft && { isWorkLeft }) };
}

/** The checks on the base, where nobody ran them before the work. */
async function lateBase(run: TaskRun): Promise<VerificationReport | undefined> {
  if (run.control.stopReason === 'shutdown') return undefined;
  run.emit({ event_type: 'status', text: 'Running the checks on the base' });
  return runTaskChecks(run, STAGES.base, { state: 'base' });
}

async function changed(input: Passed): Promise<Found> {
  const { run, report, changes, base } = input;
  const stopped = cutOff(input);
  const commands = report.checks.filter(isCommand);
  if (commands.length === 0) return { doubts: stopped, notes: [] };
  const touched = await touchedBy(run, commands);
  if (typeof touched === 'string') return { doubts: [...stopped, touched], notes: [] };
  const { files, permitted, hasRunner } = touched;
  const paths = files.map(({ path }) => path);
  const sources = await changedSources(run, changes, [...permitted, ...paths]);
  const isPermitted = permittedBy(run.task);
  const refused = changedChecks(
    files,
    sources.filter(({ path, before, after }) => !isPermitted(path) && changesOwnTests(path, before, after)),
  );
  // Tests that may be changed may become fewer.
  const fewer = (reference: VerificationReport | undefined, before: string): string[] =>
    permitted.length > 0 ? [] : fewerTests({ reference, now: report, before, hasRunner });
  const fewerThanBefore = fewer(base, 'before the work');
  const doubts = [
    ...stopped,
    ...refused,
    ...shadows(files),
    ...sources.flatMap(tampering),
    ...(await specialCases(run, sources, base)),
    ...fewerThanBefore,
  ];
  if (files.length > 0) {
    const second = await secondRun(run, paths);
    doubts.push(...failuresOf(second, paths));
    if (typeof second !== 'string' && fewerThanBefore.length === 0)
      doubts.push(...fewer(second, 'with the files of the checks as they were'));
  }
  return {
    doubts,
    notes: permitted.length === 0 ? [] : [`The task may change ${namesOf(permitted)}, and did.`],
    ...(refused.length > 0 && { needsPermission: true }),
  };
}

/** The failures of the checks where their own files are as they were; or why nobody knows. */
function failuresOf(second: VerificationReport | string, paths: readonly string[]): string[] {
  const touched = `The work changed what the checks run: ${namesOf(paths)}`;
  if (typeof second === 'string')
    return [`${touched}, and the checks could not be run without that: ${second}`];
  const failing = failingChecks(second).length;
  return failing === 0
    ? []
    : [
        `${touched}. With these files as they were before, ${failing} of ${second.checks.length} checks fail.`,
      ];
}

const MAX_SOURCES = 50;
const MAX_TEST_CHARS = 1_000_000;

/** Programs that were changed, without `known` paths: files of the checks are judged as such. */
async function changedSources(
  run: TaskRun,
  { files }: Changes,
  known: readonly string[],
): Promise<ChangedSource[]> {
  const sources = files.filter(
    ({ path, status }) => status !== 'deleted' && isCode(path) && !isTest(path) && !known.includes(path),
  );
  const found = await Promise.all(
    sources.slice(0, MAX_SOURCES).map(async ({ path }) => {
      const after = await readText(run, path);
      return after === undefined ? [] : [{ path, before: await run.workspace.base.read(path), after }];
    }),
  );
  return found.flat();
}

/** Lines that ask for a value of the tests. Checks that passed before the work have no failing test whose value could be known. */
async function specialCases(
  run: TaskRun,
  sources: readonly ChangedSource[],
  report: VerificationReport | undefined,
): Promise<string[]> {
  const { base } = run.workspace;
  const known = await base.files();
  if (report === undefined || report.status === 'pass' || !known.ok) return [];
  const tests = await Promise.all(
    known.value
      .filter(isTest)
      .slice(0, MAX_SOURCES)
      .map((path) => base.read(path)),
  );
  const failures = failingChecks(report).map(({ essence, output }) => essence?.text ?? output);
  const texts = [...tests, ...failures].join('\n').slice(0, MAX_TEST_CHARS);
  const value = specialCaseOf(sources, { tests: texts, task: run.task.description });
  return value === undefined ? [] : [`The change asks for ${value}, a value of the tests: look at it.`];
}

/** The changed files that the checks load, or why nobody can say. */
async function touchedBy(run: TaskRun, commands: readonly CheckResult[]): Promise<CheckedFiles | string> {
  const { base } = run.workspace;
  const [changed, files] = await Promise.all([base.changedPaths(), base.files()]);
  const notCompared = 'What the checks run could not be compared with the base';
  if (!changed.ok) return `${notCompared}: ${changed.failure.message}`;
  if (!files.ok) return `${notCompared}: ${files.failure.message}`;
  return findCheckFiles({
    // Where the runner is found by itself (`auto`) only the output names the command.
    commands: commands.flatMap(({ target, output }) => [target, output.split('\n', 1)[0] ?? '']),
    changed: changed.value,
    base,
    baseFiles: new Set(files.value),
    isPermitted: permittedBy(run.task),
  });
}

/** The checks that run commands, over the changed tree with the base's versions of `paths`; or why there is no such run. */
async function secondRun(run: TaskRun, paths: readonly string[]): Promise<VerificationReport | string> {
  const { control, task } = run;
  if (control.stopReason === 'shutdown') return 'the worker is shutting down';
  run.emit({ event_type: 'status', text: 'Running the checks again with their own files as they were' });
  const report = await runTaskChecks(run, STAGES.second, {
    state: { withBase: paths },
    steps: task.verification_steps.filter(isCommand),
  });
  return report ?? 'no check was run';
}
