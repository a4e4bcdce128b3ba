/**
 * Decides whether passing checks are evidence for the work. If the task changed files of the checks without permission, the checks must
 * also pass with the base's versions of these files. No test of the run on the base may be missing in either run.
 */
import { isCode } from '../../../parsing/definitions/languages.ts';
import type { ChangedFile } from '../../../parsing/apply-edits/index.ts';
import { repositoryProtectionSchema } from '../../../base/config/mcp-servers.ts';
import type { Changes, VerificationReport } from '../../../base/protocol/result.ts';
import { permittedBy } from '../../task/checking/changeable.ts';
import { runTaskChecks } from '../../task/checking/run-task-checks.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { isReadOnly } from '../../task/run-limits.ts';
import type { ChecksProof } from '../../result/build-result.ts';
import { failingChecks, hasRun, namesOf } from '../../verification/correction.ts';
import { parseJson } from '../../../base/values/json.ts';
import { continuesWork } from '../../../workspace/follow-up-patch.ts';
import { changedChecks, tamperingLines, type ComparedChecks } from './changed-checks.ts';
import { findChecksOfBase } from './check-files.ts';
import { readTrees, type ComparedTrees } from './compared-trees.ts';
import { withDecidingPart, withTests } from './deciding-part.ts';
import { leafOf, vanishedTests } from './vanished-tests.ts';
import type { Outcome } from '../../../base/values/outcome.ts';

export interface ProofInput {
  run: TaskRun;
  ending: Ending;
  changes: Changes;
  /** The last report of the checks. */
  report: VerificationReport | undefined;
  /** The report of the checks on the base, if the survey produced it. */
  base: VerificationReport | undefined;
  /** Trees to compare; if undefined, `prove` reads them. */
  trees: Outcome<ComparedTrees> | undefined;
}

/** Input of a proof whose checks pass. */
interface PassedInput extends ProofInput {
  report: VerificationReport;
}

type ProofFinding = Omit<ChecksProof, 'base'>;

const REUSED_CACHES_NOTE =
  'The checks found build folders or caches of their own earlier runs: without these they take 10 s or more.';
const READ_ONLY = 'The task must change nothing, so checks prove nothing about its answer.';

/** Evaluates passing checks, and runs them again if needed. Rejects only on a storage error. */
export async function prove(input: ProofInput): Promise<ChecksProof> {
  const { run, report, changes } = input;
  if (report?.status !== 'pass') return { doubts: [], notes: [], base: input.base };
  // A follow-up begins with earlier work. The survey checked that work, not the base.
  const base = (continuesWork(run.task.metadata) ? undefined : input.base) ?? (await runOnBase(run));
  const passed = { ...input, report, base };
  const { notes, ...found } =
    changes.files.length === 0 ? judgeUnchanged(passed) : await judgeChanged(passed);
  return { ...found, notes: [...notes, ...(report.kept_caches ? [REUSED_CACHES_NOTE] : [])], base };
}

async function runOnBase(run: TaskRun): Promise<VerificationReport | undefined> {
  if (run.control.stopReason === 'shutdown') return undefined;
  run.emit({ event_type: 'status', text: 'Running the checks on the base' });
  return runTaskChecks(run, { state: 'base' });
}

/** Returns whether a check ran and did not pass. */
const hasFailed = (report: VerificationReport | undefined): boolean => failingChecks(report).some(hasRun);

const isCommand = ({ type }: { type: string }): boolean =>
  type === 'command_succeeds' || type === 'test_passes';

/** Evaluates checks that pass on an unchanged tree. They are evidence only if the checks failed before and the task was a command. */
function judgeUnchanged({ run, ending, base }: PassedInput): ProofFinding {
  if (isReadOnly(run.task)) return { doubts: [READ_ONLY], notes: [] };
  const failedBefore = hasFailed(base);
  if (run.limits.readOnly || (failedBefore && ending.reason === 'exit_code'))
    return { doubts: [], notes: [] };
  const doubt = failedBefore
    ? 'The checks pass, but nothing was changed.'
    : 'The checks already passed, and nothing was changed.';
  return { doubts: [doubt], notes: [], ...(ending.reason === 'final_answer' && { isWorkLeft: true }) };
}

/**
 * Returns doubts about the ending of the work. If the checks passed before the work, they cannot show whether it is complete, so the model
 * must report its end.
 */
function doubtEnding({ ending, base }: PassedInput): string[] {
  const isFinished = ending.reason === 'final_answer' || ending.reason === 'exit_code';
  if (base === undefined) return ['The outcome of the checks before the work is unknown.'];
  if (isFinished || hasFailed(base)) return [];
  return [
    `The work was stopped (${ending.reason}) before the model reported its end, and the checks also passed before the work.`,
  ];
}

async function judgeChanged(input: PassedInput): Promise<ProofFinding> {
  const { run, report, base } = input;
  const doubts = doubtEnding(input);
  if (!report.checks.some(isCommand)) return { doubts, notes: [] };
  const trees = input.trees ?? (await readTrees(run));
  if (!trees.ok) {
    const why = `The files of the checks could not be compared with the base: ${trees.failure.message}`;
    return { doubts: [...doubts, why], notes: [] };
  }
  const compared = { ...trees.value, base, checks: findChecks(input, trees.value) };
  const changed = changedChecks(compared);
  const isPermitted = permittedBy(run.task);
  const refused = changed.filter((path) => !isPermitted(path));
  doubts.push(...tamperingLines(compared));
  const second = refused.length > 0 ? await runWithBase(run, refused, compared) : undefined;
  const failure = second === undefined ? undefined : failureOf(second);
  if (failure !== undefined)
    doubts.push(`With the base's versions of their files ${failure}. ${permissionHint(refused)}`);
  const doubtsOfRun = (now: VerificationReport, hasNew: boolean): string[] => [
    ...doubtWrites(now, compared),
    ...vanishedTests({ ...compared, now, hasNew, isRemovable: removableTests(run, compared) }).map(
      ({ doubt, names }) => {
        const files = filesWith(names, compared);
        return files.length > 0 ? `${doubt} ${permissionHint(files)}` : doubt;
      },
    ),
  ];
  const isSecond = typeof second === 'object' && failure === undefined;
  const inFirst = doubtsOfRun(report, isSecond);
  doubts.push(...(inFirst.length === 0 && isSecond ? doubtsOfRun(second, false) : inFirst));
  const allowed = changed.filter(isPermitted);
  const notes = notesOn(compared, allowed, failure === undefined ? refused : [], input.changes);
  return { doubts, notes, ...(failure !== undefined && { needsPermission: true }) };
}

function findChecks(
  { run, report }: PassedInput,
  { paths, before }: ComparedTrees,
): ComparedChecks['checks'] {
  const settings = parseJson(before.get('.ollama-sidecar.json') ?? '');
  return findChecksOfBase({
    // The command of a detected runner (`auto`) is only in the output.
    commands: report.checks
      .filter(isCommand)
      .flatMap(({ target, output }) => [target, /^`([^`\n]+)`/.exec(output)?.[1] ?? '']),
    texts: before,
    paths: [...paths],
    protect: [
      ...run.config.verification.protect,
      ...(repositoryProtectionSchema.safeParse(settings).data ?? []),
    ],
  });
}

/** Runs the command checks on the changed tree with the base's versions of `paths`. Returns the reason if they could not run. */
async function runWithBase(
  run: TaskRun,
  paths: readonly string[],
  { checks, before, after }: ComparedChecks,
): Promise<VerificationReport | string> {
  if (run.control.stopReason === 'shutdown') return 'the worker is shutting down';
  run.emit({ event_type: 'status', text: 'Running the checks again with their files as in the base' });
  const change = paths.flatMap((path): ChangedFile[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (is === undefined) return [];
    const isOfProduct = was !== undefined && !checks.files.has(path);
    const text = isOfProduct ? withTests(path, was, is) : withDecidingPart(path, was, is);
    return text === undefined || text === was ? [] : [{ path, before: was, after: text }];
  });
  const report = await runTaskChecks(run, {
    state: { withBase: paths },
    ...(change.length > 0 && { change }),
    steps: run.task.verification_steps.filter(isCommand),
  });
  return report ?? 'no check was run';
}

/** Returns the reason why a run of the checks did not pass; undefined if it passed. */
function failureOf(report: VerificationReport | string): string | undefined {
  if (typeof report === 'string') return `the checks could not be run: ${report}`;
  const { length } = failingChecks(report);
  return length === 0 ? undefined : `${length} of ${report.checks.length} checks fail`;
}

const permissionHint = (paths: readonly string[]): string =>
  `To allow the change of ${namesOf(paths, { max: 3 })}, use --may-change-checks ${namesOf(paths, { max: 3, by: ' ' })}`;

/** Returns a function that returns whether a test may disappear. Only tests of files that the task may change may do so. */
function removableTests({ task }: TaskRun, { checks, before }: ComparedChecks): (name: string) => boolean {
  if (task.may_change_checks === true) return () => true;
  const texts = [...checks.files].filter(permittedBy(task)).flatMap((path) => before.get(path) ?? []);
  return (name) => name !== '' && texts.some((text) => text.includes(leafOf(name)));
}

/** Returns files of the checks in which tests of these names are defined. */
const filesWith = (names: readonly string[], { checks, before }: ComparedChecks): string[] =>
  [...checks.files]
    .filter((path) => checks.isTest(path) && names.some((name) => before.get(path)?.includes(leafOf(name))))
    .slice(0, 3);

/** Reports files of the checks that the checks themselves changed or created while they ran. */
function doubtWrites({ written = [] }: VerificationReport, { checks }: ComparedChecks): string[] {
  const files = written.filter((path) => checks.files.has(path) || (isCode(path) && checks.isTest(path)));
  return files.length === 0 ? [] : [`The checks changed their own files while they ran: ${namesOf(files)}.`];
}

/** Returns notes on the files of the checks that the task changed with permission, changed needlessly, or created. */
function notesOn(
  { checks, before }: ComparedChecks,
  allowed: readonly string[],
  needless: readonly string[],
  changes: Changes,
): string[] {
  const old = needless
    .filter((path) => before.has(path))
    .map((path) => (checks.files.has(path) ? path : `tests in ${path}`));
  const made = changes.files
    .map(({ path }) => path)
    .filter(
      (path) => (checks.isWanted(path) && !before.has(path)) || (!checks.hasTests && checks.isTest(path)),
    );
  return [
    ...(allowed.length > 0 ? [`The task changed ${namesOf(allowed)}, as permitted.`] : []),
    ...(old.length > 0
      ? [`The task changed ${namesOf(old)}; the checks also pass without this change.`]
      : []),
    ...(made.length > 0 ? [`The task created its own checks: ${namesOf(made)}.`] : []),
  ];
}
