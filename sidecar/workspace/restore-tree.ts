/**
 * Restores a folder to one of its earlier states, stored as a git tree. Ignored files, and files that a snapshot cannot store, are not
 * changed.
 */
import { removeFolder } from '../base/system/remove-folder.ts';
import { runGit } from './git.ts';
import { CHECKOUT_TIMEOUT_MS } from './registered-tree.ts';
import { callOf, takeSnapshot, type WorkTree } from './work-tree.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './with-files.ts';

/** Restores the tree `treeId`, which `snapshot` returned. No task may work in the folder at the same time. */
export async function restoreTree(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  if (!/^[\da-f]{40,64}$/u.test(treeId)) return failure('git_failed', `${treeId} is not a git tree`);
  return catchFileErrors(() => restore(tree, treeId));
}

async function restore(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  const present = { ...tree, baseIndex: `${tree.baseIndex}.present` };
  try {
    const now = await takeSnapshot(tree, { indexFile: present.baseIndex });
    if (!now.ok) return now;
    // The index of the present files tells git which files to write and which to remove.
    const args = ['read-tree', '--reset', '-u', treeId];
    const restored = await runGit(callOf(present, args, { timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return restored.ok ? success(true) : restored;
  } finally {
    await removeFolder(present.baseIndex);
  }
}
