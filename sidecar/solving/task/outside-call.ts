/**
 * Runs calls whose effects may leave the tree of the task and cannot be undone. Each of them runs at most once. The intent is on disk
 * before the call; the result and the tree are recorded after it. A resumed task reads both from the journal.
 */
import { createHash } from 'node:crypto';
import { restoreTree } from './start-tree.ts';
import type { TaskRun } from './task-run.ts';

/** Runs a call whose effects stay in the tree, after the trees of earlier calls are recorded. */
export async function runInsideCall<T>({ journal }: CallRun, execute: () => Promise<T>): Promise<T> {
  await journal.settled();
  return execute();
}

type CallRun = Pick<TaskRun, 'journal' | 'workspace' | 'emit' | 'foundTree'>;

/**
 * Runs a call, or returns its result from an earlier run of the task. Returns undefined if the call started without a recorded result,
 * since its effect is unknown. The content of `call` identifies it. Throws `StorageError` and errors of `execute`.
 */
export async function runOutsideCall<T>(
  run: CallRun,
  call: unknown,
  execute: () => Promise<T>,
): Promise<T | undefined> {
  const { journal, workspace } = run;
  await journal.settled();
  const content = JSON.stringify(call) ?? '';
  const name = createHash('sha256').update(content).digest('hex');
  const intent = journal.next('intent', name);
  const end = { ...intent, kind: 'result' as const };
  const after = { ...end, stage: `tree ${name}` };
  if (journal.has(intent)) {
    // If the tree after the call is not recorded, no call followed, so the killed worker left the tree of this call.
    if (!journal.has(after)) journal.recordSoon(after, run.foundTree ?? null);
    const tree = journal.recall(after) as string | null;
    if (tree !== null) await restoreTree(run, tree);
    return (journal.recall(end) as T | undefined) ?? undefined;
  }
  await journal.recordDurably(intent, call);
  const result = await execute();
  journal.recordSoon(end, result);
  // The tree is read while the model generates.
  journal.recordLater(
    after,
    workspace.treeId().then((tree) => (tree.ok ? tree.value : null)),
  );
  return result;
}
