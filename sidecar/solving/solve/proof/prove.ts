/**
 * Decides whether passing checks are evidence for the work. If the task changed files of the checks without permission, the checks must
 * also pass with the base's versions of these files. No test of the run on the base may be missing in either run.
 */
import { repositoryProtectionSchema } from '../../../base/config/mcp-servers.ts';
import type { Changes, VerificationReport } from '../../../base/protocol/result.ts';
import { createPermissionMatcher } from '../../task/checking/changeable.ts';
import { runTaskChecks } from '../../task/checking/run-task-checks.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { isReadOnly } from '../../task/run-limits.ts';
import { readText } from '../../task/tree-files.ts';
import type { ChecksProof } from '../../result/build-result.ts';
import { listFailingChecks, hasRun, formatNames } from '../../verification/correction.ts';
import { parseJson } from '../../../base/values/json.ts';
import { continuesWork } from '../../../workspace/follow-up-patch.ts';
import {
  findChangedChecks,
  findTamperingLines,
  type ComparedChecks,
  type ComparedTrees,
} from './changed-checks.ts';
import { findChecksOfBase, type ChecksOfBase } from './check-files.ts';
import { restoreDecidingPart, restoreTests } from './deciding-part.ts';
import { leafOf, findVanishedTests } from './vanished-tests.ts';
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
type PassedProofInput = ProofInput & { report: VerificationReport };

const REUSED_CACHES_NOTE =
  'The checks reused build folders or caches of earlier check runs; without these, the checks take 10 s or more.';
const READ_ONLY_DOUBT = 'The task must not change files, so the checks cannot verify the answer.';
const MAX_CHANGED_TEXTS = 2_000;

/** Reads the base and the changed files of a task for a proof. */
export async function readTrees(run: TaskRun): Promise<Outcome<ComparedTrees>> {
  const { base } = run.workspace;
  const [changed, paths] = await Promise.all([base.listChangedPaths(), base.listPaths()]);
  if (!changed.ok) return changed;
  if (!paths.ok) return paths;
  const before = await base.readTexts(paths.value);
  if (!before.ok) return before;
  const after = new Map<string, string>();
  for (const path of changed.value.slice(0, MAX_CHANGED_TEXTS)) {
    const text = await readText(run, path);
    if (text !== undefined) after.set(path, text);
  }
  const value = { paths: new Set(paths.value), changed: changed.value, before: before.value, after };
  return { ok: true, value };
}

/** Evaluates passing checks, and runs them again if needed. Rejects only on a storage error. */
export async function prove(input: ProofInput): Promise<ChecksProof> {
  const { run, report, changes } = input;
  if (report?.status !== 'pass') return { doubts: [], notes: [], base: input.base };
  // A follow-up begins with earlier work. The survey checked that work, not the base.
  const known = continuesWork(run.task.metadata) ? undefined : input.base;
  const base = known ?? (await runChecksWith(run, 'Running the checks on the base', { state: 'base' }));
  const passed = { ...input, report, base };
  const { notes, ...found } =
    changes.files.length === 0 ? proveUnchanged(passed) : await proveChanged(passed);
  return { ...found, notes: [...notes, ...(report.kept_caches ? [REUSED_CACHES_NOTE] : [])], base };
}

async function runChecksWith(run: TaskRun, text: string, options: Parameters<typeof runTaskChecks>[1]) {
  if (run.control.stopReason === 'shutdown') return undefined;
  run.emit({ event_type: 'status', text });
  return runTaskChecks(run, options);
}

/** Returns whether a check ran and did not pass. */
const hasFailed = (report: VerificationReport | undefined): boolean => listFailingChecks(report).some(hasRun);

const isCommand = ({ type }: { type: string }): boolean =>
  type === 'command_succeeds' || type === 'test_passes';

/** Evaluates checks that pass on an unchanged tree. They are evidence only if the checks failed before and the task was a command. */
function proveUnchanged({ run, ending: { reason }, base }: PassedProofInput): ChecksProof {
  if (isReadOnly(run.task)) return { doubts: [READ_ONLY_DOUBT], notes: [] };
  const isProven = run.limits.readOnly || (hasFailed(base) && reason === 'exit_code');
  const doubt = hasFailed(base)
    ? 'The checks pass, but nothing was changed.'
    : 'The checks already passed, and nothing was changed.';
  return { doubts: isProven ? [] : [doubt], notes: [], hasWorkLeft: !isProven && reason === 'final_answer' };
}

/**
 * Returns doubts about the ending of the work. If the checks passed before the work, they cannot show whether it is complete, so the model
 * must report its end.
 */
function listEndingDoubts({ ending: { reason }, base }: PassedProofInput): string[] {
  if (base === undefined) return ['The outcome of the checks before the task is unknown.'];
  if (reason === 'final_answer' || reason === 'exit_code' || hasFailed(base)) return [];
  return [
    `The task was stopped (${reason}) before the model gave its final answer, and the checks also passed before the task.`,
  ];
}

async function proveChanged(input: PassedProofInput): Promise<ChecksProof> {
  const { run, report, base } = input;
  const doubts = listEndingDoubts(input);
  if (!report.checks.some(isCommand)) return { doubts, notes: [] };
  const trees = input.trees ?? (await readTrees(run));
  if (!trees.ok) {
    const why = `The files of the checks could not be compared with the base: ${trees.failure.message}`;
    return { doubts: [...doubts, why], notes: [] };
  }
  const compared = { ...trees.value, checks: findChecks(input, trees.value) };
  const { checks, before, changed } = compared;
  const own = findChangedChecks(compared);
  const isPermitted = createPermissionMatcher(run.task);
  const refused = own.filter((path) => !isPermitted(path));
  const second = refused.length > 0 ? await runWithBase(run, refused, compared) : report;
  const failing = listFailingChecks(second).length;
  const failure = second
    ? failing > 0 && `${failing} of ${second.checks.length} checks fail`
    : 'the checks could not be run';
  if (failure)
    doubts.push(`With the check files of the base commit, ${failure}. ${formatPermissionHint(refused)}`);
  const removable = [...checks.files].filter(isPermitted).flatMap((path) => before.get(path) ?? []);
  const isRemovable = (name: string): boolean =>
    run.task.may_change_checks === true ||
    (name !== '' && removable.some((text) => text.includes(leafOf(name))));
  const runs = failure || !second || second === report ? [report] : [report, second];
  const inRuns = runs.map((now) => [
    ...formatNote(
      'The checks changed their own files while they ran:',
      (now.written ?? []).filter(checks.isCheckFile),
      '.',
    ),
    ...findVanishedTests({ ...compared, base, now, hasNewTests: now !== runs.at(-1), isRemovable }).map(
      ([doubt, names]) => [doubt, ...listHints(names, compared)].join(' '),
    ),
  ]);
  doubts.push(...findTamperingLines(compared), ...(inRuns.find((found) => found.length > 0) ?? []));
  const needless = failure ? [] : refused.filter((path) => before.has(path));
  const notes = [
    ...formatNote('The task changed', own.filter(isPermitted), ', as permitted.'),
    ...formatNote(
      'The task changed',
      needless.map((path) => (checks.files.has(path) ? path : `tests in ${path}`)),
      '; the checks also pass without this change.',
    ),
    ...formatNote(
      'The task created its own checks:',
      changed.filter((path) => !before.has(path) && checks.isFirstTest(path)),
      '.',
    ),
  ];
  return { doubts, notes, needsPermission: failure !== false };
}

const formatNote = (text: string, paths: readonly string[], end: string): string[] =>
  paths.length > 0 ? [`${text} ${formatNames(paths)}${end}`] : [];

function findChecks({ run, report }: PassedProofInput, { paths, before }: ComparedTrees): ChecksOfBase {
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

/**
 * Runs the command checks on the changed tree with the base's versions of `paths`. Of a source of the product only the tests are restored,
 * of a manifest only the part that decides how checks run.
 */
function runWithBase(run: TaskRun, paths: readonly string[], { checks, before, after }: ComparedChecks) {
  const change = paths.flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (is === undefined) return [];
    const isOfProduct = was !== undefined && !checks.files.has(path);
    const text = isOfProduct ? restoreTests(path, was, is) : restoreDecidingPart(path, was, is);
    return text === undefined || text === was ? [] : [{ path, before: was, after: text }];
  });
  return runChecksWith(run, 'Rerunning the checks with the check files of the base commit', {
    state: { withBase: paths },
    ...(change.length > 0 && { change }),
    steps: run.task.verification_steps.filter(isCommand),
  });
}

const formatPermissionHint = (paths: readonly string[]): string =>
  `To allow changes to ${formatNames(paths, { max: 3 })}, use --may-change-checks ${formatNames(paths, { max: 3, by: ' ' })}`;

/** Returns the hint for the permission that is missing if tests with these names vanished. */
function listHints(names: readonly string[], { checks, before }: ComparedChecks): string[] {
  const isNamed = (path: string): boolean => names.some((name) => before.get(path)?.includes(leafOf(name)));
  const files = [...checks.files].filter((path) => checks.isTest(path) && isNamed(path));
  return files.length > 0 ? [formatPermissionHint(files.slice(0, 3))] : [];
}
