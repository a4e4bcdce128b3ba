/** The trees that attempts begin with and leave: kept by the workspace, made ready for the next one. */
import type { TaskRun } from '../task/task-run.ts';
import { isTreeReady, keepStart, keepTreeReady, startOfNext, type EndedAttempt } from './ended-attempt.ts';

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
