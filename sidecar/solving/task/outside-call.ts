/**
 * Calls whose effects may leave the tree of the task, where nothing can put them back: each happens once. That it begins is
 * on disk before it does, its result with the tree after it; a task that is resumed gets both from there.
 */
import { createHash } from 'node:crypto';
import { putBack } from './start-tree.ts';
import type { TaskRun } from './task-run.ts';

/** Makes a call whose effects stay in the tree, once the trees after earlier calls are recorded. */
export async function callInside<T>({ journal }: Run, execute: () => Promise<T>): Promise<T> {
  await journal.settled();
  return execute();
}

type Run = Pick<TaskRun, 'journal' | 'workspace' | 'emit' | 'foundTree'>;

/**
 * Makes a call, or returns the result that it had in an earlier run of the task; undefined for one that was begun and has no
 * result: its effect is unknown. `call`: known by its content. Throws `StorageError` and what `execute` rejects with.
 */
export async function callOutside<T>(
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
    // Nothing followed a call whose tree is not known: the killed worker left that tree.
    if (!journal.has(after)) journal.recordSoon(after, run.foundTree ?? null);
    const tree = journal.recall(after) as string | null;
    if (tree !== null) await putBack(run, tree);
    return (journal.recall(end) as T | undefined) ?? undefined;
  }
  await journal.recordDurably(intent, call);
  const result = await execute();
  journal.recordSoon(end, result);
  // The tree is looked at while the model thinks.
  journal.recordLater(
    after,
    workspace.treeId().then((tree) => (tree.ok ? tree.value : null)),
  );
  return result;
}
