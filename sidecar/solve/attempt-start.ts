/** How an attempt begins: with its run of the task, and with the tree of the base or of the best attempt before it. */
import { runPart } from '../task/journal.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { AttemptPlan } from './wishes.ts';
import { earlierAttempts } from './describe-attempts.ts';
import { isTreeReady, keepStart, keepTreeReady, startOfNext, type EndedAttempt } from './ended-attempt.ts';

/** The first attempt has the task's own journal; later ones keep their stages apart. */
export function attemptRun(task: TaskRun, ended: readonly EndedAttempt[], plan: AttemptPlan): TaskRun {
  const run = withShare(task, plan.count - ended.length);
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...runPart(run, `attempt-${number}`),
    attempt: {
      number,
      earlier: earlierAttempts(ended, run.control.steering.takenTexts),
      triedModels: ended.map(({ model }) => model),
    },
  };
}

/** The first answer of a small model on a processor takes most of this. */
const LEAST_SHARE_MS = 60_000;

/** The run with its share of the time that is left to so many attempts; the last one may take all of it. */
function withShare(run: TaskRun, attemptsLeft: number): TaskRun {
  const { leftMs } = run.control;
  const timeoutMs = Math.max(LEAST_SHARE_MS, leftMs / Math.max(1, attemptsLeft));
  if (timeoutMs >= leftMs) return run;
  return { ...run, control: run.control.part(timeoutMs), limits: { ...run.limits, timeoutMs } };
}

/** Keeps the tree that the task began with; undefined where it cannot be kept, which is reported. */
export async function keepStartTree(task: TaskRun): Promise<string | undefined> {
  const tree = await keptTree(task);
  if (tree !== undefined) keepStart(task.journal, tree);
  return tree;
}

export async function keptTree({ workspace, emit }: TaskRun): Promise<string | undefined> {
  const outcome = await workspace.keep();
  if (outcome.ok) return outcome.value;
  emit({ event_type: 'status', text: `The tree of this attempt cannot be kept: ${outcome.failure.message}` });
  return undefined;
}

/** Gives the attempt after those that have ended the tree that it begins with, once. */
export async function readyTree(
  task: TaskRun,
  start: string | undefined,
  ended: readonly EndedAttempt[],
): Promise<void> {
  const last = ended.at(-1);
  if (!last || isTreeReady(task.journal, last)) return;
  const from = startOfNext(ended);
  if (from !== last) await restore(task, from ? from.tree : start);
  keepTreeReady(task.journal, last);
}

/** A tree that cannot be had stays as it is: that is shown, and the next attempt begins with it. */
export async function restore({ workspace, emit }: TaskRun, tree: string | undefined): Promise<boolean> {
  const restored = tree === undefined ? undefined : await workspace.restore(tree);
  if (restored?.ok) return true;
  const why = restored ? restored.failure.message : 'it was not kept';
  emit({ event_type: 'status', text: `Warning: an earlier tree was not restored: ${why}` });
  return false;
}
