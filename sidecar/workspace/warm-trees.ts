/**
 * Retains checked-out trees of ended tasks for the next tasks of the same repository, since the checkout of a large repository takes longer
 * than the first answer. A tree is cleaned when its task ends. The next task then only waits for the files that its commit changes, and for
 * those modified since git wrote them.
 */
import { mkdir, readdir, rename, rmdir, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { measureFreeDisk } from '../base/system/free-disk.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { runProgram } from '../base/system/run-program.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { copyIndex, runGit, splitNul } from './git.ts';
import {
  CHECKOUT_TIMEOUT_MS,
  checkOutCommit,
  createRegisteredTree,
  resetTree,
  registerTree,
  type RegisteredTree,
  type TreeHead,
} from './registered-tree.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

/** Name of the folder, beside a worker's workspaces, that contains its warm trees. No task's folder can have this name. */
export const WARM_FOLDER_NAME = '.warm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Makes a worktree at `dir`, from a warm tree if one is available. */
export async function addWorktree(
  cache: string,
  dir: string,
  head: TreeHead,
  signal?: AbortSignal,
): Promise<Outcome<RegisteredTree>> {
  const warm = await takeRetainedTree(cache, dir, head, signal);
  return warm === undefined ? createRegisteredTree(cache, dir, head, signal) : success(warm);
}

/**
 * Retains the tree of an ended task, at most `max` per repository. `index` is the index that git wrote at the checkout of `commit`. Returns
 * false if the tree is not retained; the caller then removes it.
 */
export async function retainTree(
  { dir, gitDir }: RegisteredTree,
  { commit, index: checkoutIndex, max: maxRetained }: { commit: string; index: string; max: number },
): Promise<boolean> {
  if (maxRetained === 0) return false;
  const worktreesDir = dirname(dir);
  const folder = join(worktreesDir, WARM_FOLDER_NAME, basename(dirname(dirname(gitDir))));
  const retained = join(folder, basename(gitDir));
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length >= maxRetained) return false;
    if ((await measureFreeDisk(worktreesDir)) < MIN_FREE_BYTES) return false;
    if (checkoutIndex !== join(gitDir, 'index')) await copyIndex(checkoutIndex, join(gitDir, 'index'));
    await registerTree({ dir, gitDir }, { commit });
    if (!(await resetTree({ dir, gitDir }, commit)) || (await hasOtherModes(dir, folder))) return false;
    await rename(dir, retained);
    // git removes the registration of a worktree whose folder is missing.
    await registerTree({ dir: retained, gitDir }, { commit });
    const now = new Date();
    await utimes(retained, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Moves a usable warm tree of the repository to `dir` as a worktree; undefined if there is none. */
async function takeRetainedTree(
  cache: string,
  dir: string,
  head: TreeHead,
  signal?: AbortSignal,
): Promise<RegisteredTree | undefined> {
  const folder = join(dirname(dir), WARM_FOLDER_NAME, basename(cache));
  for (const name of await readdir(folder).catch(() => [])) {
    const tree = { dir, gitDir: join(cache, 'worktrees', name) };
    try {
      await rename(join(folder, name), dir);
    } catch {
      // Another task has taken the tree.
      continue;
    }
    if (await updateWarmTree(tree, head, signal).catch(() => false)) return tree;
    await Promise.all([removeFolder(dir), removeFolder(tree.gitDir)]);
  }
  return undefined;
}

/** Updates a warm tree to a commit. Returns whether the tree now equals a new checkout. */
async function updateWarmTree(tree: RegisteredTree, head: TreeHead, signal?: AbortSignal): Promise<boolean> {
  const { gitDir } = tree;
  const before = (await readSmallFile(join(gitDir, 'HEAD')))?.trim() ?? '';
  if (before !== head.commit) {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', before, head.commit];
    const changedNames = await runGit({ gitDir, args, timeoutMs: CHECKOUT_TIMEOUT_MS, signal });
    // A changed `.gitattributes` may require other line endings even in files that do not differ between the commits.
    const isAttributes = (path: Buffer): boolean => basename(String(path)) === '.gitattributes';
    if (!changedNames.ok || splitNul(changedNames.value).some(isAttributes)) return false;
  }
  await registerTree(tree, head);
  return (await checkOutCommit(tree, head.commit, signal)).ok;
}

/** Removes old warm trees, or all warm trees if the disk is nearly full. */
export async function pruneWarmTrees(
  worktreesDir: string,
  isOld: (path: string) => Promise<boolean>,
): Promise<void> {
  const folders = await listWarmFolders(worktreesDir);
  const isDiskNearlyFull = folders.length > 0 && (await measureFreeDisk(worktreesDir)) < MIN_FREE_BYTES;
  for (const folder of folders) {
    for (const name of await readdir(folder))
      if (isDiskNearlyFull || (await isOld(join(folder, name)))) await removeFolder(join(folder, name));
  }
  await removeEmptyWarmFolders(worktreesDir);
}

/** Removes the folders of repositories that have no warm trees left. */
export async function removeEmptyWarmFolders(worktreesDir: string): Promise<void> {
  for (const folder of [...(await listWarmFolders(worktreesDir)), join(worktreesDir, WARM_FOLDER_NAME)])
    await rmdir(folder).catch(() => undefined);
}

async function listWarmFolders(worktreesDir: string): Promise<string[]> {
  const folder = join(worktreesDir, WARM_FOLDER_NAME);
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

/**
 * Returns whether a file or folder in the tree has other permissions than a new one. git does not detect this, since it compares only one
 * permission bit.
 */
async function hasOtherModes(dir: string, sample: string): Promise<boolean> {
  const folderMode = (await stat(sample)).mode & 0o7777;
  const folder = folderMode.toString(8);
  const file = (folderMode & 0o666).toString(8);
  const isOther = ['(', '-type', 'd', '!', '-perm', folder, ')', '-o'];
  isOther.push('(', '-type', 'f', '!', '-perm', file, '!', '-perm', folder, ')');
  const { exitCode, stdout } = await runProgram({
    file: 'find',
    args: [dir, '(', ...isOther, ')', '-print', '-quit'],
    cwd: dir,
    env: { PATH: process.env.PATH },
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  return exitCode !== 0 || stdout.length > 0;
}
