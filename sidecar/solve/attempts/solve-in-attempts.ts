/**
 * Tries a task again while it is not verified and attempts are left, each from the best tree so far. All of it is one
 * task: the same wall clock, ledger and totals. What an attempt came to is in the journal before the tree is made ready
 * for the next one, so that a resumed task goes on in the attempt where it was.
 */
import type { Changes, TerminationReason, VerificationReport } from '../../protocol/result.ts';
import type { Attempt, AttemptSeries } from '../attempt.ts';
import type { ChecksProof } from '../../verification/build-result.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import {
  closest,
  isDoubtful,
  isTreeReady,
  keepAttempt,
  keepStart,
  keepTreeReady,
  keptStart,
  startOfNext,
  type EndedAttempt,
} from './ended-attempt.ts';
import { attemptEvent, resultSentence } from './tell-attempts.ts';

/** An attempt whose work was checked. */
export interface Verified {
  ending: Ending;
  changes: Changes;
  reports: VerificationReport[];
  /** Whether checks that pass prove the work; missing for what was cancelled. */
  proof?: ChecksProof;
}

/** What becomes the result, and the attempt that it is from. */
export type Solved = Verified & Pick<Attempt, 'way' | 'model'>;

export interface Solving {
  /** Works on the task and checks it. `first`: the first attempt, once there is a later one. */
  work: (attempt: Attempt, first: EndedAttempt | undefined) => Promise<Verified>;
  /** Commits the tree as it is. */
  commit: (run: TaskRun) => Promise<Changes>;
}

/** After these nothing more is done to the tree: nobody waits for a result. */
const AT_ONCE: ReadonlySet<TerminationReason> = new Set(['cancelled', 'shutdown']);

/** Rejects only for bugs, a failing disk and a failing git. */
export async function solveInAttempts(first: Attempt, solving: Solving): Promise<Solved> {
  const { series } = first;
  if (!series) return { ...(await solving.work(first, undefined)), way: first.way, model: first.model };
  const { run, of } = series;
  const ended = [...series.ended];
  const start = await startTree(run);
  await readyTree(run, start, ended);
  let attempt = first;
  while (ended.length < of) {
    run.emit(attemptEvent({ number: ended.length + 1, of, model: attempt.model }, ended));
    const verified = await solving.work(attempt, ended[0]);
    const { ending } = verified;
    if (AT_ONCE.has(ending.reason)) return { ...verified, way: attempt.way, model: attempt.model };
    const last = await endedAttempt(ended.length + 1, attempt, verified);
    const isLast = !mayTryAgain(series, last, ended);
    if (isLast && (ended.length === 0 || !isUnsolved(last))) return solvedBy(attempt, verified, ended.length);
    keepAttempt(run.journal, last);
    ended.push(last);
    if (isLast) return handBack(run, attempt, { ended, verified }, solving);
    await readyTree(run, start, ended);
    attempt = await series.next(ended);
  }
  return handBack(run, attempt, { ended }, solving);
}

/** The tree that the task began with; undefined where it cannot be kept. */
async function startTree(run: TaskRun): Promise<string | undefined> {
  const past = keptStart(run.journal);
  if (past !== undefined) return past;
  const tree = await kept(run);
  if (tree !== undefined) keepStart(run.journal, tree);
  return tree;
}

async function kept({ workspace, emit }: TaskRun): Promise<string | undefined> {
  const outcome = await workspace.keep();
  if (outcome.ok) return outcome.value;
  emit({ event_type: 'status', text: `The tree of this attempt cannot be kept: ${outcome.failure.message}` });
  return undefined;
}

/** Gives the attempt after those that have ended the tree that it begins with, once. */
async function readyTree(
  run: TaskRun,
  start: string | undefined,
  ended: readonly EndedAttempt[],
): Promise<void> {
  const last = ended.at(-1);
  if (!last || isTreeReady(run.journal, last)) return;
  const from = startOfNext(ended);
  if (from !== last) await restore(run, from ? from.tree : start);
  keepTreeReady(run.journal, last);
}

/** A tree that cannot be had stays as it is: that is told, and the next attempt begins with it. */
async function restore({ workspace, emit }: TaskRun, tree: string | undefined): Promise<boolean> {
  const restored = tree === undefined ? undefined : await workspace.restore(tree);
  if (restored?.ok) return true;
  const why = restored ? restored.failure.message : 'it was not kept';
  emit({ event_type: 'status', text: `Warning: an earlier tree was not restored: ${why}` });
  return false;
}

async function endedAttempt(number: number, attempt: Attempt, verified: Verified): Promise<EndedAttempt> {
  const { run, way, model } = attempt;
  const { ending, reports, changes, proof } = verified;
  const [base, tree] = await Promise.all([way.base?.(), kept(run)]);
  return {
    number,
    model,
    ending,
    reports,
    files: changes.files,
    base,
    tree,
    proof,
    used: run.totals.used,
  };
}

/** Whether there is something that shows that the task is not solved. */
function isUnsolved(attempt: EndedAttempt): boolean {
  const { ending, reports } = attempt;
  const report = reports.at(-1);
  if (!report) return ending.reason !== 'final_answer';
  return report.status !== 'pass' || isDoubtful(attempt);
}

function mayTryAgain(series: AttemptSeries, last: EndedAttempt, before: readonly EndedAttempt[]): boolean {
  const { run, of } = series;
  const { reason } = last.ending;
  // What stops the task as a whole another attempt would meet, too; an attempt's own time may be over before that.
  if (last.number >= of || run.control.stopReason !== undefined || reason === 'budget_exhausted')
    return false;
  // A server that fails one model may have another one that works; asking the same again has been tried.
  if (reason === 'model_error' && !series.hasOtherModel([...before, last])) return false;
  return isUnsolved(last);
}

function solvedBy({ way, model }: Attempt, { ending, ...rest }: Verified, before: number): Solved {
  const sentence = resultSentence(before + 1, { number: before + 1, model }, true);
  return { ...rest, ending: withSentence(ending, sentence), way, model };
}

/** The attempt that came closest, its tree with it. */
async function handBack(
  run: TaskRun,
  attempt: Attempt,
  { ended, verified }: { ended: readonly EndedAttempt[]; verified?: Verified },
  { commit }: Solving,
): Promise<Solved> {
  const last = ended.at(-1);
  const best = closest(ended);
  if (!best || !last) throw new Error('no attempt has ended');
  const isThere = best === last || (await restore(run, best.tree));
  const given = isThere ? best : last;
  const changes = given === last && verified ? verified.changes : await commit(run);
  const sentence = resultSentence(ended.length, given, false);
  // What stopped the task is its ending, whichever attempt is handed back.
  const isStopped = run.control.stopReason !== undefined || last.ending.reason === 'budget_exhausted';
  const stopped = isStopped ? { ...last.ending, output: given.ending.output } : undefined;
  const ending = withSentence(stopped ?? given.ending, sentence);
  const { reports, proof } = given;
  return { ending, changes, reports, proof, way: attempt.way, model: given.model };
}

const withSentence = (ending: Ending, sentence: string): Ending =>
  sentence === '' ? ending : { ...ending, output: [ending.output, sentence].filter(Boolean).join('\n\n') };
