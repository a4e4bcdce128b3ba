/**
 * Works on a task and verifies the result: work, commit, check. While checks fail, the model corrects its work within the same limits. All
 * endings except `cancelled` are followed by the checks.
 */
import type { Changes, VerificationReport } from '../../base/protocol/result.ts';
import { formatTaskTitle, type Task } from '../../base/protocol/task.ts';
import type { ChecksProof } from '../result/build-result.ts';
import { buildCorrection, formatNames, buildUnchangedCorrection } from '../verification/correction.ts';
import { runTaskChecks } from '../task/checking/run-task-checks.ts';
import { createStoppedEnding, type Ending } from '../task/ending.ts';
import { isReadOnly } from '../task/run-limits.ts';
import type { TaskRun } from '../task/task-run.ts';
import { prove, readTrees } from './proof/prove.ts';
import type { Way } from './way.ts';

/** Work that was checked. */
export interface VerifiedWork {
  ending: Ending;
  changes: Changes;
  /** Reports of all verifications, in order. */
  reports: VerificationReport[];
  /** Evaluation of passing checks; undefined for cancelled work. */
  proof?: ChecksProof;
}

export const NO_CHANGES: Changes = { files: [], patch: '' };

/**
 * Runs the way, the checks and the corrections. `base`: the report of the checks on the tree before the task, if known. Rejects only on
 * bugs, storage errors and git errors.
 */
export async function workAndVerify(
  run: TaskRun,
  way: Way,
  base: () => Promise<VerificationReport | undefined>,
): Promise<VerifiedWork> {
  const reports: VerificationReport[] = [];
  const shown = new Set<string>();
  /** The tree that was checked last. */
  let checkedTree: string | undefined;
  const start = isReadOnly(run.task) ? run.startTree : undefined;
  const undone: string[] = [];
  let trees: Awaited<ReturnType<typeof readTrees>> | undefined;
  let ending = await way.run();
  let changes = NO_CHANGES;
  for (let round = 1; ; round += 1) {
    if (ending.reason === 'cancelled') return { ending, changes: NO_CHANGES, reports };
    undone.push(...(await undoChanges(run, start)));
    changes = await commitTree(run);
    const tree = run.limits.readOnly ? undefined : await treeIdOf(run);
    const previous = reports.at(-1);
    // The checks are not run again for an unchanged tree.
    const isChecked = previous !== undefined && tree !== undefined && tree === checkedTree;
    const hasChecks = changes.files.length > 0 && run.task.verification_steps.length > 0;
    const [report, read] = await Promise.all([
      isChecked ? previous : verifyTree(run, ending, round),
      hasChecks ? readTrees(run) : undefined,
    ]);
    trees = read;
    if (report && !isChecked) reports.push(report);
    if (!report || !way.correct || !mayCorrect(run, ending, report, round)) break;
    const unchanged = isChecked || (round === 1 && tree !== undefined && changes.files.length === 0);
    checkedTree = tree;
    const message = isChecked
      ? buildUnchangedCorrection(report)
      : buildCorrection(report, { previous, isUnchanged: unchanged });
    // The same message would not help a second time.
    if (shown.has(message)) break;
    shown.add(message);
    const text = `Checks failed: correction ${round} of ${run.limits.maxVerificationRetries}`;
    run.emit({ event_type: 'status', text });
    ending = await way.correct(message, round);
  }
  const proof = isCancelled(run)
    ? undefined
    : await prove({
        run,
        ending,
        changes,
        report: reports.at(-1),
        base: await base(),
        trees,
      });
  if (!proof || isCancelled(run)) return { ending: createStoppedEnding(run), changes: NO_CHANGES, reports };
  const { notes } = proof;
  const notedProof = undone.length === 0 ? proof : { ...proof, notes: [...notes, formatUndoneNote(undone)] };
  return { ending, changes, reports, proof: addUnwrittenCodeNote(notedProof, run, ending, changes) };
}

/** Restores the files that a read-only task changed, for example by a command. Returns their paths. */
async function undoChanges({ workspace, emit }: TaskRun, start: string | undefined): Promise<string[]> {
  const now = start === undefined ? undefined : await workspace.storePresentTree();
  if (start === undefined || !now?.ok || now.value === start) return [];
  const changed = await workspace.base.listChangedPaths();
  const paths = changed.ok && changed.value.length > 0 ? changed.value : ['files'];
  const restored = await workspace.restore(start);
  if (!restored.ok)
    emit({
      event_type: 'status',
      text: `The changes of the read-only task could not be reverted: ${restored.failure.message}`,
    });
  else emit({ event_type: 'status', text: formatUndoneNote(paths) });
  return restored.ok ? paths : [];
}

const formatUndoneNote = (paths: readonly string[]): string =>
  `The task is read-only: the changes to ${formatNames(paths)} were reverted.`;

/** Returns whether the task was cancelled. Cancelling the checks also cancels the work. */
const isCancelled = ({ control }: TaskRun): boolean => control.stopReason === 'cancelled';

/** Returns git's id of the present tree; undefined if git fails. */
async function treeIdOf({ workspace }: TaskRun): Promise<string | undefined> {
  const tree = await workspace.storePresentTree();
  return tree.ok ? tree.value : undefined;
}

/** Verifies the work. A shell task has a report already, since its command is its check. */
const verifyTree = (
  run: TaskRun,
  { report }: Ending,
  runNumber: number,
): Promise<VerificationReport | undefined> =>
  report ? Promise.resolve(report) : runTaskChecks(run, { state: 'commit', runNumber, emitsEvents: true });

/** Returns whether the model may correct its work: only if the work ended by itself. After a forced stop the limits are used up. */
function mayCorrect(
  { limits, control }: TaskRun,
  ending: Ending,
  report: VerificationReport,
  runs: number,
): boolean {
  if (ending.reason !== 'final_answer' || report.status === 'pass') return false;
  return runs <= limits.maxVerificationRetries && control.stopReason === undefined;
}

/** Adds a note if the final answer contains code that is in no file although the task asks for a change. */
function addUnwrittenCodeNote(
  proof: ChecksProof,
  { limits }: TaskRun,
  { output = '', hasCodeNote = false }: Ending,
  { files }: Changes,
): ChecksProof {
  const isLeft = !limits.readOnly && files.length === 0 && output.includes('```');
  if (!isLeft || hasCodeNote) return proof;
  return { ...proof, notes: [...proof.notes, 'The code in the answer was not written to a file.'] };
}

/** Commits the tree in its present state. */
export const commitTree = ({ workspace, task }: TaskRun): Promise<Changes> =>
  workspace.commit(buildCommitMessage(task));

function buildCommitMessage(task: Task): string {
  const subject = formatTaskTitle(task).slice(0, 72).trim();
  return `${subject || 'Work on a task'}\n\nTask: ${task.task_id}`;
}
