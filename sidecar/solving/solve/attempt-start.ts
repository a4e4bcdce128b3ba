/** How an attempt begins: with its run of the task, and with the tree of the base or of the best attempt before it. */
import type { TaskRun } from '../task/task-run.ts';
import type { AttemptPlan } from './wishes.ts';
import { earlierAttempts } from './describe-attempts.ts';
import { startOfNext, type EndedAttempt } from './ended-attempt.ts';

/** Returns the run of the next attempt; the rows of later ones on the timeline are told apart. */
export function attemptRun(task: TaskRun, ended: readonly EndedAttempt[], plan: AttemptPlan): TaskRun {
  const run = withShare(task, plan.count - ended.length);
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...run,
    emit: ({ call_id: id, ...event }) =>
      run.emit(id === undefined ? event : { ...event, call_id: `attempt-${number}/${id}` }),
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

export async function keptTree({ workspace, emit }: TaskRun): Promise<string | undefined> {
  const outcome = await workspace.treeId();
  if (outcome.ok) return outcome.value;
  emit({ event_type: 'status', text: `The tree of this attempt cannot be kept: ${outcome.failure.message}` });
  return undefined;
}

/** Gives the attempt after those that have ended the tree that it begins with. */
export async function readyTree(task: TaskRun, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return;
  const from = startOfNext(ended);
  if (from !== ended.at(-1)) await restore(task, from ? from.tree : task.startTree);
}

/** A tree that cannot be had stays as it is: that is shown, and the next attempt begins with it. */
export async function restore({ workspace, emit }: TaskRun, tree: string | undefined): Promise<boolean> {
  const restored = tree === undefined ? undefined : await workspace.restore(tree);
  if (restored?.ok) return true;
  const why = restored ? restored.failure.message : 'it was not kept';
  emit({ event_type: 'status', text: `Warning: an earlier tree was not restored: ${why}` });
  return false;
}
