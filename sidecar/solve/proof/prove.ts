/**
 * Whether checks that pass are evidence for the work. Where the task touched files of the checks without permission, the
 * checks are run again with the base's versions of these, and pass too. No test of the base's run is missing in either run.
 */
import { isCode } from '../../brief/left-out.ts';
import type { ChangedFile } from '../../applying/index.ts';
import { repositoryProtection } from '../../config/mcp-servers.ts';
import type { Outcome } from '../../ports.ts';
import type { Changes, VerificationReport } from '../../protocol/result.ts';
import type { Task } from '../../protocol/task.ts';
import { permittedBy } from '../../task/checking/changeable.ts';
import { runTaskChecks } from '../../task/checking/run-task-checks.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { isReadOnly } from '../../task/run-limits.ts';
import { readText } from '../../task/tree-files.ts';
import type { ChecksProof } from '../../verification/build-result.ts';
import { failingChecks, hasRun, namesOf } from '../../verification/correction.ts';
import { parseJson } from '../../values/json.ts';
import { goesOn } from '../../workspace/follow-up-patch.ts';
import { changedChecks } from './changed-checks.ts';
import { findChecksOfBase, type ChecksOfBase } from './check-files.ts';
import { withDecidingPart, withTests } from './deciding-part.ts';
import { tamperingLine } from './tampering.ts';
import { vanishedTests } from './vanished-tests.ts';

export interface ProofInput {
  run: TaskRun;
  ending: Ending;
  changes: Changes;
  /** The last report of the checks. */
  report: VerificationReport | undefined;
  /** The checks' report of the base, where the way of solving learned it. */
  base: VerificationReport | undefined;
}

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
  if (isFinished || hasFailed(base)) return [];
  return [
    `The work was stopped (${ending.reason}) before it was said to be done, and the checks passed before it, too.`,
  ];
}

/** Whether a check ran and did not pass. */
const hasFailed = (report: VerificationReport | undefined): boolean => failingChecks(report).some(hasRun);

const isCommand = ({ type }: { type: string }): boolean =>
  type === 'command_succeeds' || type === 'test_passes';

const READ_ONLY = 'The task was to change nothing: checks say nothing of its answer.';

/**
 * Checks that pass on a tree in which nothing changed say nothing of the work. A command that is itself the task may have
 * worked on files that git ignores: then the checks failed before it.
 */
function unchanged({ run, ending, base }: Passed): Found {
  if (isReadOnly(run.task)) return { doubts: [READ_ONLY], notes: [] };
  const failedBefore = hasFailed(base);
  if (run.limits.readOnly || (failedBefore && ending.reason === 'exit_code'))
    return { doubts: [], notes: [] };
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
  return runTaskChecks(run, { state: 'base' });
}

async function changed(input: Passed): Promise<Found> {
  const { run, report, base } = input;
  const doubts = cutOff(input);
  if (!report.checks.some(isCommand)) return { doubts, notes: [] };
  const looked = await look(input);
  if (!looked.ok) {
    const why = `The files of the checks could not be compared with the base: ${looked.failure.message}`;
    return { doubts: [...doubts, why], notes: [] };
  }
  const { checks, before, after, changed: found } = looked.value;
  const isPermitted = permittedBy(run.task);
  const refused = found.filter((path) => !isPermitted(path));
  for (const [path, text] of after) {
    const was = checks.files.has(path) || !isCode(path) ? undefined : before.get(path);
    const line = was === undefined ? undefined : tamperingLine(was, text);
    if (line !== undefined) doubts.push(`${path} changes what its tests do: ${line}`);
  }
  const second = refused.length > 0 ? await secondRun(run, refused, looked.value) : undefined;
  const missing = second !== undefined && failureOf(second);
  if (missing)
    doubts.push(`With the base's versions of the files of the checks ${missing}. ${askFor(refused)}`);
  const reports = typeof second === 'object' && !missing ? [report, second] : [report];
  const { length } = doubts;
  for (const [at, now] of reports.entries()) {
    doubts.push(...writtenIn(now, checks));
    // One run says it.
    if (at > 0 && doubts.length > length) break;
    const mayGo = mayGoIn(run.task, looked.value);
    for (const { doubt, names } of vanishedTests({
      base,
      now,
      hasNew: at < reports.length - 1,
      mayGo,
      checks,
      before,
    })) {
      const files = filesOf(names, looked.value);
      doubts.push(files.length > 0 ? `${doubt} ${askFor(files)}` : doubt);
    }
  }
  const allowed = found.filter(isPermitted);
  const notes = notesOn(looked.value, { allowed, needless: missing ? [] : refused, made: input.changes });
  return { doubts, notes, ...(missing && { needsPermission: true }) };
}

interface Looked {
  checks: ChecksOfBase;
  /** Changed files of the checks. */
  changed: string[];
  /** Texts of the base, and of what the task changed. */
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
}

const MAX_CHANGED_TEXTS = 2_000;

/** The files of the checks, and which of them the task changed. */
async function look({ run, report, base }: Passed): Promise<Outcome<Looked>> {
  const tree = run.workspace.base;
  const [changedPaths, paths] = await Promise.all([tree.changedPaths(), tree.files()]);
  if (!changedPaths.ok) return changedPaths;
  if (!paths.ok) return paths;
  const texts = await tree.readAll(paths.value);
  if (!texts.ok) return texts;
  const before = texts.value;
  const after = new Map<string, string>();
  for (const path of changedPaths.value.slice(0, MAX_CHANGED_TEXTS)) {
    const text = await readText(run, path);
    if (text !== undefined) after.set(path, text);
  }
  const settings = parseJson(before.get('.ollama-sidecar.json') ?? '');
  const checks = findChecksOfBase({
    // Where the runner is found by itself (`auto`) only the output names the command.
    commands: report.checks
      .filter(isCommand)
      .flatMap(({ target, output }) => [target, /^`([^`\n]+)`/.exec(output)?.[1] ?? '']),
    texts: before,
    paths: paths.value,
    protect: [...run.config.verification.protect, ...(repositoryProtection.safeParse(settings).data ?? [])],
  });
  const changedPart = {
    checks,
    changed: changedPaths.value,
    before,
    after,
    paths: new Set(paths.value),
    base,
  };
  return { ok: true, value: { checks, changed: changedChecks(changedPart), before, after } };
}

const askFor = (paths: readonly string[]): string =>
  `If the change of ${namesOf(paths, { most: 3 })} is wanted: --may-change-checks ${namesOf(paths, { most: 3, by: ' ' })}`;

/** Tests of files that may be changed may go. */
function mayGoIn(task: Task, { checks, before }: Looked): (name: string) => boolean {
  if (task.may_change_checks === true) return () => true;
  const texts = [...checks.files].filter(permittedBy(task)).flatMap((path) => before.get(path) ?? []);
  return (name) => name !== '' && texts.some((text) => text.includes(leafOf(name)));
}

const leafOf = (name: string): string => (name.split(/ > |::/).at(-1) ?? name).replace(/\[.*\]$/, '');

/** The files of the checks in which tests of these names are defined. */
function filesOf(names: readonly string[], { checks, before }: Looked): string[] {
  const files = [...checks.files].filter(checks.isTest);
  return files.filter((path) => names.some((name) => before.get(path)?.includes(leafOf(name)))).slice(0, 3);
}

/** Files of the checks that a run of them changed or made. */
function writtenIn({ written = [] }: VerificationReport, checks: ChecksOfBase): string[] {
  const files = written.filter((path) => checks.files.has(path) || (isCode(path) && checks.isTest(path)));
  return files.length === 0 ? [] : [`The run of the checks itself changed their files: ${namesOf(files)}.`];
}

function notesOn(
  { checks, before }: Looked,
  { allowed, needless, made }: { allowed: readonly string[]; needless: readonly string[]; made: Changes },
): string[] {
  const old = needless
    .filter((path) => before.has(path))
    .map((path) => (checks.files.has(path) ? path : `tests in ${path}`));
  const judged = made.files
    .map(({ path }) => path)
    .filter(
      (path) => (checks.isWanted(path) && !before.has(path)) || (!checks.hasTests && checks.isTest(path)),
    );
  return [
    ...(allowed.length > 0 ? [`The task may change ${namesOf(allowed)}, and did.`] : []),
    ...(old.length > 0 ? [`The task changed ${namesOf(old)}; the checks pass without that, too.`] : []),
    ...(judged.length > 0 ? [`The task made what judges it: ${namesOf(judged)}.`] : []),
  ];
}

/** The checks that run commands, over the changed tree with the base's versions of `paths`; or why there is no such run. */
async function secondRun(
  run: TaskRun,
  paths: readonly string[],
  { checks, before, after }: Looked,
): Promise<VerificationReport | string> {
  if (run.control.stopReason === 'shutdown') return 'the worker is shutting down';
  run.emit({ event_type: 'status', text: 'Running the checks again with their own files as they were' });
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

/** Why a run of the checks is no pass; undefined if it is one. */
function failureOf(report: VerificationReport | string): string | undefined {
  if (typeof report === 'string') return `the checks could not be run: ${report}`;
  const { length } = failingChecks(report);
  return length === 0 ? undefined : `${length} of ${report.checks.length} checks fail`;
}
