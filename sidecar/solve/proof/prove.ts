/**
 * Whether checks that pass are evidence for the work. Where the task touched files of the checks without permission, the
 * checks are run again with the base's versions of these, and pass too. No test of the base's run is missing in either run.
 */
import { isCode } from '../../brief/left-out.ts';
import type { ChangedFile } from '../../applying/index.ts';
import { repositoryProtection } from '../../config/mcp-servers.ts';
import type { Outcome } from '../../ports.ts';
import type { Changes, CheckResult, VerificationReport } from '../../protocol/result.ts';
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
import { changedChecks, putBack } from './changed-checks.ts';
import { findChecksOfBase, type ChecksOfBase } from './check-files.ts';
import { lostTests, tamperingLine, testsIn } from './tests-in-sources.ts';
import { vanishedTests, type Comparison } from './vanished-tests.ts';

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
function unchanged({ run, ending, isResumed, base }: Passed): Found {
  if (isReadOnly(run.task)) return { doubts: [READ_ONLY], notes: [] };
  const failedBefore = hasFailed(base);
  if (run.limits.readOnly || isResumed || (failedBefore && ending.reason === 'exit_code'))
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
  return runTaskChecks(run, STAGES.base, { state: 'base' });
}

async function changed(input: Passed): Promise<Found> {
  const { run, report, base } = input;
  const stopped = cutOff(input);
  if (!report.checks.some(isCommand)) return { doubts: stopped, notes: [] };
  const looked = await look(input);
  if (!looked.ok) {
    const why = `The files of the checks could not be compared with the base: ${looked.failure.message}`;
    return { doubts: [...stopped, why], notes: [] };
  }
  const { checks, refused, allowed, texts } = looked.value;
  const permission = permissionFor(run);
  const sources = changedSources(looked.value);
  const after = [...texts.after.values()].join('\n');
  const lost = sources
    .filter(({ path, before }) => lostTests(path, before, after).length > 0)
    .map(({ path }) => path)
    .filter((path) => !permission.permits(path));
  const reports = [report];
  const doubts = [...stopped];
  const missing: string[] = [];
  if (lost.length > 0) missing.push(...lost);
  if (lost.length > 0) doubts.push(`The task changed tests in ${namesOf(lost)}. ${permission.ask(lost)}`);
  for (const { path, before, after: now } of sources) {
    const line = tamperingLine(before, now);
    if (line !== undefined) doubts.push(`${path} changes what its tests do: ${line}`);
  }
  if (refused.length > 0) {
    const second = await secondRun(run, refused, texts);
    if (typeof second === 'string' || failingChecks(second).length > 0) {
      const outcome =
        typeof second === 'string'
          ? `the checks could not be run: ${second}`
          : `${failingChecks(second).length} of ${second.checks.length} checks fail`;
      doubts.push(
        `With the base's versions of the files of the checks ${outcome}. ${permission.ask(refused)}`,
      );
      missing.push(...refused);
    } else reports.push(second);
  }
  const mayGo = permission.mayGo(texts.before, checks);
  for (const [at, now] of reports.entries()) {
    doubts.push(...writtenIn(now, checks));
    const comparison: Comparison = {
      base,
      now,
      hasNew: at < reports.length - 1,
      mayGo,
      runnersOf: checks.runnersOf,
      definesTests: (path) => /\bnode:test\b|\b(?:test|it)\(/.test(texts.before.get(path) ?? ''),
    };
    // One run says it.
    const vanished = doubts.length > stopped.length && at > 0 ? [] : vanishedTests(comparison);
    for (const { doubt, names } of vanished) {
      const files = filesOf(names, texts.before, checks);
      doubts.push(files.length > 0 ? `${doubt} ${permission.ask(files)}` : doubt);
    }
  }
  return {
    doubts,
    notes: notesOn({
      checks,
      refused: missing.length > 0 ? [] : refused,
      allowed,
      paths: texts.before,
      made: input.changes,
    }),
    ...(missing.length > 0 && { needsPermission: true }),
  };
}

interface Texts {
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
}

interface Looked {
  checks: ChecksOfBase;
  /** Changed files of the checks, without permission and with it. */
  refused: string[];
  allowed: string[];
  texts: Texts;
}

const MAX_CHANGED_TEXTS = 2_000;

/** The files of the checks, and which of them the task changed. */
async function look({ run, report, base }: Passed): Promise<Outcome<Looked>> {
  const tree = run.workspace.base;
  const [changedPaths, paths] = await Promise.all([tree.changedPaths(), tree.files()]);
  if (!changedPaths.ok) return changedPaths;
  if (!paths.ok) return paths;
  const before = await tree.readAll(paths.value);
  if (!before.ok) return before;
  const after = new Map<string, string>();
  for (const path of changedPaths.value.slice(0, MAX_CHANGED_TEXTS)) {
    const text = await readText(run, path);
    if (text !== undefined) after.set(path, text);
  }
  const checks = findChecksOfBase({
    // Where the runner is found by itself (`auto`) only the output names the command.
    commands: report.checks
      .filter(isCommand)
      .flatMap(({ target, output }: CheckResult) => [target, /^`([^`\n]+)`/.exec(output)?.[1] ?? '']),
    texts: before.value,
    paths: paths.value,
    protect: [...run.config.verification.protect, ...protectedBy(before.value)],
  });
  const found = changedChecks({
    checks,
    changed: changedPaths.value,
    before: before.value,
    after,
    paths: new Set(paths.value),
    base,
  });
  const isPermitted = permittedBy(run.task);
  return {
    ok: true,
    value: {
      checks,
      refused: found.filter((path) => !isPermitted(path)),
      allowed: found.filter(isPermitted),
      texts: { before: before.value, after },
    },
  };
}

const protectedBy = (before: Texts['before']): readonly string[] =>
  repositoryProtection.safeParse(parseJson(before.get('.ollama-sidecar.json') ?? '')).data ?? [];

/** Changed sources of the product that the base has, too. */
const changedSources = ({ checks, texts }: Looked) =>
  [...texts.before].flatMap(([path, before]) => {
    const after = texts.after.get(path);
    const holdsTests = testsIn(path, before).length > 0;
    if (!isCode(path) || checks.files.has(path) || (after === undefined && !holdsTests)) return [];
    return after === undefined || after === before ? [] : [{ path, before, after }];
  });

const permissionFor = ({ task }: TaskRun) => {
  const permits = permittedBy(task);
  return {
    permits,
    ask: (paths: readonly string[]): string =>
      `If the change of ${namesOf(paths, { most: 3 })} is wanted: --may-change-checks ${namesOf(paths, { most: 3, by: ' ' })}`,
    /** Tests of files that may be changed may go. */
    mayGo: (before: Texts['before'], checks: ChecksOfBase) => {
      if (task.may_change_checks === true) return () => true;
      const texts = [...checks.files].filter(permits).flatMap((path) => before.get(path) ?? []);
      return (name: string): boolean => name !== '' && texts.some((text) => text.includes(leafOf(name)));
    },
  };
};

const leafOf = (name: string): string => (name.split(/ > |::/).at(-1) ?? name).replace(/\[.*\]$/, '');

/** The files of the checks in which tests of these names are defined. */
const filesOf = (names: readonly string[], before: Texts['before'], checks: ChecksOfBase): string[] =>
  [
    ...new Set(
      names.flatMap((name) =>
        [...checks.files].filter((path) => checks.isTest(path) && before.get(path)?.includes(leafOf(name))),
      ),
    ),
  ].slice(0, 3);

/** Files of the checks that a run of them changed or made. */
function writtenIn({ written = [] }: VerificationReport, checks: ChecksOfBase): string[] {
  const files = written.filter((path) => checks.files.has(path) || (isCode(path) && checks.isTest(path)));
  return files.length === 0 ? [] : [`The run of the checks itself changed their files: ${namesOf(files)}.`];
}

interface Noted {
  checks: ChecksOfBase;
  refused: readonly string[];
  allowed: readonly string[];
  paths: ReadonlyMap<string, string>;
  made: Changes;
}

function notesOn({ checks, refused, allowed, paths, made }: Noted): string[] {
  const old = refused.filter((path) => paths.has(path));
  const own = made.files.map(({ path }) => path).filter((path) => checks.made.has(path) && !paths.has(path));
  const first = made.files.map(({ path }) => path).filter((path) => !checks.hasTests && checks.isTest(path));
  const judged = [...new Set([...own, ...first])];
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
  { before, after }: Texts,
): Promise<VerificationReport | string> {
  const { control, task } = run;
  if (control.stopReason === 'shutdown') return 'the worker is shutting down';
  run.emit({ event_type: 'status', text: 'Running the checks again with their own files as they were' });
  const change = paths.flatMap((path): ChangedFile[] => {
    const text = putBack(path, before.get(path), after.get(path));
    return text === undefined ? [] : [{ path, before: before.get(path), after: text }];
  });
  const report = await runTaskChecks(run, STAGES.second, {
    state: { withBase: paths },
    ...(change.length > 0 && { change }),
    steps: task.verification_steps.filter(isCommand),
  });
  return report ?? 'no check was run';
}
