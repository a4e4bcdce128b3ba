/** Records the tree that a task begins with, and restores it when the task is resumed. */
import type { TaskRun } from './task-run.ts';

const START = { kind: 'result', stage: 'start', round: 1 } as const;

/** Records the start tree, or restores it if an earlier run of the task worked in the workspace. Throws `StorageError`. */
export async function startTree({
  workspace,
  journal,
  emit,
}: Pick<TaskRun, 'workspace' | 'journal' | 'emit'>): Promise<Pick<TaskRun, 'startTree' | 'foundTree'>> {
  const tree = await workspace.treeId();
  const present = tree.ok ? tree.value : undefined;
  const past = journal.recall(START) as string | undefined;
  if (past === undefined) {
    if (present !== undefined) journal.recordSoon(START, present);
    return { startTree: present };
  }
  // Each run with new work records the tree that it found. A run that was killed during its replay has no work of its own, so the earlier
  // record remains valid.
  const found = { kind: 'result', stage: 'found', round: journal.begun } as const;
  if (!journal.has(found)) journal.recordSoon(found, present ?? null);
  const foundTree = (journal.recall(found) as string | null) ?? undefined;
  const isThere = past === present || (await restoreTree({ workspace, emit }, past));
  return { startTree: isThere ? past : present, foundTree };
}

/** Restores a tree of the task. Returns false, with a warning on the timeline, if that fails. */
export async function restoreTree(
  { workspace, emit }: Pick<TaskRun, 'workspace' | 'emit'>,
  tree: string,
): Promise<boolean> {
  const outcome = await workspace.restore(tree);
  if (outcome.ok) return true;
  const text = `Warning: the files were not put back as the task had them: ${outcome.failure.message}`;
  emit({ event_type: 'status', text });
  return false;
}
