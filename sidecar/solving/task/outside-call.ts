/**
 * Calls whose effects may leave the tree of the task and cannot be undone, so each runs at most once. The intent is on disk before the
 * call; the result and the tree are recorded after it. A resumed task gets both from the journal.
 */
import { createHash } from 'node:crypto';
import { restoreTree } from './start-tree.ts';
import type { TaskRun } from './task-run.ts';

/** Runs a call whose effects stay in the tree, after the trees of earlier calls are recorded. */
export async function runInsideCall<T>({ journal }: Run, execute: () => Promise<T>): Promise<T> {
  await journal.settled();
  return execute();
}

type Run = Pick<TaskRun, 'journal' | 'workspace' | 'emit' | 'foundTree'>;

/**
 * Runs a call, or returns its result from an earlier run of the task. Undefined if the call began and has no result: its effect is unknown.
 * `call` is identified by its content. Throws `StorageError` and errors of `execute`.
 */
export async function runOutsideCall<T>(
  run: Run,
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
    // If the tree after the call is not recorded, the call was the last: the killed worker left its tree.
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
