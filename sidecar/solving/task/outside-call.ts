/**
 * Runs calls whose effects may leave the tree of the task and cannot be undone. Each of them runs at most once. The intent is on disk
 * before the call; the result is recorded after it, with the tree that it left. A resumed task reads both from the journal.
 */
import { CALL_PREFIX } from './journal.ts';
import { restoreTree } from './tree-files.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Runs a call after the trees of earlier calls are recorded. If it `reachesOut` of the tree and an earlier run of the task started it,
 * returns its recorded result; undefined without a result, since its effect is unknown. The content of `call` identifies it. Throws
 * `StorageError` and errors of `execute`.
 */
export async function runCall<T>(
  run: Pick<TaskRun, 'control' | 'workspace' | 'emit'>,
  call: unknown,
  reachesOut: boolean,
  execute: () => Promise<T>,
): Promise<T | undefined> {
  const { journal } = run.control;
  await journal.waitUntilSettled();
  if (!reachesOut) return execute();
  const intent = journal.createNextFact('intent', CALL_PREFIX, call);
  const end = { ...intent, kind: 'result' as const };
  if (journal.has(intent)) {
    const past = journal.recall(end) as { result?: T; tree: string | null } | undefined;
    if (past?.tree) await restoreTree(run, past.tree);
    return past?.result;
  }
  await journal.recordDurably(intent, call);
  const result = await execute();
  // The tree is read while the model generates.
  const stored = run.workspace.storePresentTree();
  journal.recordLater(
    end,
    stored.then((tree) => ({ result, tree: tree.ok ? tree.value : null })),
  );
  return result;
}
