/**
 * Puts a folder back to an earlier state of its own, which git has as a tree. Ignored files, and what no snapshot can hold,
 * stay as they are.
 */
import type { Outcome } from '../base/ports.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { runGit } from './git.ts';
import { CHECKOUT_TIMEOUT_MS } from './registered-tree.ts';
import { callOf, takeSnapshot, type WorkTree } from './work-tree.ts';
import { failure, success } from '../base/values/outcome.ts';
import { withFiles } from './with-files.ts';

/** Only while nobody works in the folder. `treeId` is one that `snapshot` gave. */
export async function restoreTree(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  if (!/^[\da-f]{40,64}$/u.test(treeId)) return failure('git_failed', `${treeId} is no tree of git`);
  return withFiles(() => restore(tree, treeId));
}

async function restore(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  const present = { ...tree, baseIndex: `${tree.baseIndex}.present` };
  try {
    const now = await takeSnapshot(tree, { indexFile: present.baseIndex });
    if (!now.ok) return now;
    // From an index of what is in the folder git knows which files to write and which to remove.
    const args = ['read-tree', '--reset', '-u', treeId];
    const restored = await runGit(callOf(present, args, { timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return restored.ok ? success(true) : restored;
  } finally {
    await removeFolder(present.baseIndex);
  }
}
