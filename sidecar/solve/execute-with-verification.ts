/**
 * Runs a task to its result: work, commit, check, and while checks fail let the model correct itself within the same
 * limits. A task that is not verified then may be tried again. However the work ended, except cancelled, it is checked as
 * it is.
 */
import { createHash } from 'node:crypto';
import type { OnProgress, TaskExecutor, TaskJournal } from '../ports.ts';
import type { Changes, ModelUseReport, TaskResult, VerificationReport } from '../protocol/result.ts';
import { taskSchema, type Task, type TaskInput } from '../protocol/task.ts';
import { buildResult, type ChecksProof, type RunOutcome } from '../verification/build-result.ts';
import { correctionMessage, unchangedCorrection } from '../verification/correction.ts';
import type { Attempt, AttemptOpener } from './attempt.ts';
import { solveInAttempts, type Solving, type Verified } from './attempts/solve-in-attempts.ts';
import { checkTree, recordedReport } from '../task/checking/check-tree.ts';
import { isQuestion } from '../task/wanted.ts';
import { hasWorked } from '../task/derived-journal.ts';
import { prove, type ProofInput } from './proof/prove.ts';
import type { Ending } from '../task/ending.ts';
import { RunTotals } from '../task/run-totals.ts';
import { stoppedEnding } from '../task/stopped-ending.ts';
import type { TaskRun } from '../task/task-run.ts';

export type Verifiable<C> = AttemptOpener<C> | TaskExecutor<C>;

const NO_CHANGES: Changes = { files: [], patch: '' };

/**
 * Executes and verifies. `executor` is one of this library's (it opens attempts that can be corrected) or any object
 * with `execute`, whose result is returned as it is. Never rejects for an expected failure.
 */
export async function executeWithVerification<C>(
  executor: Verifiable<C>,
  input: TaskInput,
  config: C,
  onProgress: OnProgress,
): Promise<TaskResult> {
  const task = taskSchema.parse(input);
  if (!('open' in executor)) return executor.execute(task, config, onProgress);
  const startedMs = performance.now();
  const opened = await executor.open(task, config, onProgress);
  if (!opened.ok) {
    const outcome = runOutcome(opened.ending, new RunTotals(), opened.model, performance.now() - startedMs);
    return buildResult({ task, run: outcome, reports: [], changes: NO_CHANGES });
  }
  const { attempt } = opened;
  const run = attempt.series?.run ?? attempt.run;
  try {
    // In a folder that is no worktree nothing shows what an earlier life changed.
    const isResumed = run.workspace.branch === undefined && hasWorked(run.journal);
    const work: Solving['work'] = async (each, first) => {
      const verified = orCancelled(each.run, await workAndVerify(each, isResumed));
      if (verified.ending.reason === 'cancelled') return verified;
      // A later attempt may begin with the tree of an earlier one.
      const base = first ? first.base : await each.way.base?.();
      const proof = await proofOf(each.run, verified, { isResumed, base });
      return orCancelled(each.run, { ...verified, proof });
    };
    const solved = await solveInAttempts(attempt, { work, commit: commitTree });
    const { ending, changes, reports, proof, way, model } = solved;
    const published = ending.reason === 'cancelled' ? undefined : await publish(run);
    return buildResult({
      task,
      run: runOutcome(ending, run.totals, model, run.control.usedMs),
      reports,
      changes: published?.isNothing ? withoutBranch(changes) : changes,
      fetchableCommit: published?.fetchableCommit,
      proof,
      unconfined: await whyUnconfined(run),
      ...way.plan?.(),
    });
  } finally {
    // What was done counts, whatever is left lying about.
    await attempt.close().catch((error: unknown) => {
      run.logger.warn({ taskId: task.task_id, reason: String(error) }, 'A task could not be cleaned up');
    });
  }
}

/** Work that was cancelled while it was checked is cancelled work. */
const orCancelled = (run: TaskRun, verified: Verified): Verified =>
  run.control.stopReason === 'cancelled'
    ? { ending: stoppedEnding(run), changes: NO_CHANGES, reports: verified.reports }
    : verified;

async function workAndVerify({ run, way }: Attempt, isResumed: boolean): Promise<Verified> {
  const reports: VerificationReport[] = [];
  const told = new Set<string>();
  let checkedState: string | undefined;
  let ending = await way.run();
  for (let round = 1; ; round += 1) {
    if (ending.reason === 'cancelled') return { ending, changes: NO_CHANGES, reports };
    const changes = await commitTree(run);
    const state = run.limits.readOnly ? undefined : (pastState(run.journal, round) ?? stateOf(changes));
    const previous = reports.at(-1);
    // Checks of a tree that they have seen would say the same again.
    const isSeen = previous !== undefined && state !== undefined && state === checkedState;
    const report = isSeen ? previous : await check(run, ending, round);
    if (report && !isSeen) reports.push(report);
    if (!report || !way.correct || !mayCorrect(run, ending, report, round)) {
      return { ending, changes, reports };
    }
    const unchanged = isSeen || (!isResumed && checkedState === undefined && state === NOTHING);
    checkedState = state;
    const message = isSeen
      ? unchangedCorrection(report)
      : correctionMessage(report, { previous, unchanged, workspaceDir: run.workspace.dir });
    // What did not help once does not help word for word.
    if (told.has(message)) return { ending, changes, reports };
    told.add(message);
    if (state !== undefined) keepState(run.journal, round, state);
    const text = `Checks failed, corrective round ${round} of ${run.limits.maxVerificationRetries}`;
    run.emit({ event_type: 'status', text });
    ending = await way.correct(message, round);
  }
}

/** The state in which nothing has changed. */
const NOTHING = '';

/** Differs where the changes do; a patch that is too large to be carried has its commit. */
function stateOf({ files, patch, head_commit: head }: Changes): string {
  if (files.length === 0) return NOTHING;
  return createHash('sha256')
    .update(JSON.stringify([files, patch, patch === '' ? head : '']))
    .digest('base64');
}

/** The state that the tree had before a corrective round: a resumed task finds the tree as its last life left it. */
const pastState = (journal: TaskJournal | undefined, round: number): string | undefined =>
  journal?.read(stateStage(round))[0]?.body as string | undefined;

/** Throws `StorageError`. */
function keepState(journal: TaskJournal | undefined, round: number, state: string): void {
  if (pastState(journal, round) !== undefined) return;
  journal?.append([{ kind: 'result', stage: stateStage(round), round: 0, call: 0, body: state }]);
}

const stateStage = (round: number): string => `state-${round}`;

/** A command that failed is a check that failed; other tasks have the checks that they came with. */
function check(run: TaskRun, { report }: Ending, runNumber: number): Promise<VerificationReport | undefined> {
  const stage = `check-${runNumber}`;
  if (report) return recordedReport(run.journal, stage, () => Promise.resolve(report));
  return checkTree(run, stage, { state: 'commit', runNumber });
}

/** Only a model that thinks it is done can correct itself; a forced stop has used up what it was given. */
function mayCorrect(
  { limits, control }: TaskRun,
  ending: Ending,
  report: VerificationReport,
  runs: number,
): boolean {
  if (ending.reason !== 'final_answer' || report.status === 'pass') return false;
  return runs <= limits.maxVerificationRetries && control.stopReason === undefined;
}

async function proofOf(
  run: TaskRun,
  { ending, changes, reports }: Verified,
  known: Pick<ProofInput, 'isResumed' | 'base'>,
): Promise<ChecksProof> {
  const proof = await prove({ run, ending, changes, report: reports.at(-1), ...known });
  const note = codeLeftOver(run, ending, changes);
  return note === undefined ? proof : { ...proof, notes: [...proof.notes, note] };
}

async function whyUnconfined({ env }: TaskRun): Promise<string | undefined> {
  // The folder may be gone by now: then there is nothing to be told of it.
  const status = await env.sandboxStatus?.().catch(() => undefined);
  return status?.sandboxed === false ? status.reason : undefined;
}

/** Code of a final answer that is in no file, where a change was wanted. */
function codeLeftOver(
  { task, limits }: TaskRun,
  { output = '' }: Ending,
  { files }: Changes,
): string | undefined {
  const isLeft =
    !limits.readOnly && files.length === 0 && output.includes('```') && !isQuestion(task.description);
  // The loop says it in the answer, with the names of the files.
  return isLeft && !output.includes('was not put into a file')
    ? 'The code in the answer was not put into a file.'
    : undefined;
}

interface Published {
  /** There is no commit besides the base, so there is no branch. */
  isNothing: boolean;
  fetchableCommit?: string;
}

/** Puts the branch where others can fetch it. */
async function publish({ workspace, emit }: TaskRun): Promise<Published> {
  const published = await workspace.publish();
  if (!published.ok) {
    emit({ event_type: 'status', text: `The branch was not published: ${published.failure.message}` });
    return { isNothing: false };
  }
  const publication = published.value;
  if (!publication) return { isNothing: true };
  return {
    isNothing: false,
    ...(publication.where !== 'cache' && { fetchableCommit: publication.commit }),
  };
}

const commitTree = ({ workspace, task }: TaskRun): Promise<Changes> => workspace.commit(commitMessage(task));

const withoutBranch = ({ branch: _branch, head_commit: _head, ...changes }: Changes): Changes => changes;

function commitMessage(task: Task): string {
  const subject = task.description.split('\n', 1)[0]?.trim().slice(0, 72) ?? '';
  return `${subject || 'Work on a task'}\n\nTask: ${task.task_id}`;
}

const runOutcome = (
  ending: Ending,
  totals: RunTotals,
  modelUsed: string,
  executionMs: number,
): RunOutcome => ({
  ...totals.used,
  termination: ending.reason,
  detail: ending.detail,
  output: ending.output ?? totals.lastText,
  modelUsed,
  executionMs,
  modelUse: totals.iterations > 0 ? modelUse(totals) : undefined,
});

const modelUse = ({ use }: RunTotals): ModelUseReport => ({
  tokens_read: Math.round(use.readTokens),
  waiting_ms: Math.round(use.waitedMs),
  loading_ms: Math.round(use.loadMs),
  reading_ms: Math.round(use.readMs),
  writing_ms: Math.round(use.writeMs),
});
