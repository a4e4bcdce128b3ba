/**
 * Calls whose effects may leave the tree of the task, where nothing can put them back: each happens once. That it begins is
 * on disk before it does, its result with the tree after it; a task that is resumed gets both from there.
 */
import { createHash } from 'node:crypto';
import type { TaskRun } from './task-run.ts';

type Run = Pick<TaskRun, 'journal' | 'workspace' | 'emit'>;

interface Ended<T> {
  result: T;
  /** Missing where it could not be kept. */
  tree?: string;
}

/**
 * Makes a call, or returns the result that it had in an earlier life of the task; undefined for one that was begun and has no
 * result: nobody knows what it did. `call`: known by its content. Throws `StorageError` and what `execute` rejects with.
 */
export async function callOutside<T>(
  { journal, workspace, emit }: Run,
  call: unknown,
  execute: () => Promise<T>,
): Promise<T | undefined> {
  await journal.settled();
  const content = JSON.stringify(call) ?? '';
  const intent = journal.next('intent', createHash('sha256').update(content).digest('hex'));
  const end = { ...intent, kind: 'result' as const };
  const past = journal.recall(end) as Ended<T> | undefined;
  if (past) {
    const restored = past.tree === undefined ? undefined : await workspace.restore(past.tree);
    if (restored?.ok === false) {
      const text = `Warning: what a call changed in the files was not put back: ${restored.failure.message}`;
      emit({ event_type: 'status', text });
    }
    return past.result;
  }
  if (journal.has(intent)) return undefined;
  journal.record({ ...intent, body: call });
  const result = await execute();
  // The tree is looked at while the model thinks.
  const ended = workspace.keep().then((tree): Ended<T> => ({ result, ...(tree.ok && { tree: tree.value }) }));
  journal.recordLater(end, ended);
  return result;
}
