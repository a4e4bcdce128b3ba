/** Records the tree that a task begins with, and restores it when the task is resumed. */
import type { TaskRun } from './task-run.ts';
import { restoreTree } from './tree-files.ts';

const START_FACT = { kind: 'result', stage: 'start', round: 1 } as const;

/** Records the start tree, or restores it if an earlier run of the task worked in the workspace. Throws `StorageError`. */
export async function recordStartTree(
  run: Pick<TaskRun, 'workspace' | 'control' | 'emit'>,
): Promise<Pick<TaskRun, 'startTree' | 'foundTree'>> {
  const { journal } = run.control;
  const tree = await run.workspace.storePresentTree();
  const present = tree.ok ? tree.value : undefined;
  const past = journal.recall(START_FACT) as string | undefined;
  if (past === undefined && present !== undefined) journal.recordSoon({ ...START_FACT, body: present });
  if (past === undefined) return { startTree: present };
  // An interrupted call was the last thing that happened in the tree of the killed worker.
  for (const call of journal.listInterruptedCalls())
    journal.recordSoon({ ...call, kind: 'result', body: { tree: present ?? null } });
  const isThere = past === present || (await restoreTree(run, past));
  return { startTree: isThere ? past : present, foundTree: present };
}
