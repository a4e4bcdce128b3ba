/**
 * Creates a worktree in the form in which git registers it: a folder, and its git dir in the cache of its repository. This program writes
 * both, so that a worktree needs one process of git instead of three. gitrepository-layout(5) describes the files.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { removeFolder } from '../base/system/remove-folder.ts';
import { runGit, type GitFailure } from './git.ts';
import { writeFileAtomically } from './private-git-dir.ts';
import { type Outcome, success } from '../base/values/outcome.ts';

/** Timeout of a checkout. A large repository on a slow disk takes minutes. */
export const CHECKOUT_TIMEOUT_MS = 300_000;

export interface RegisteredTree {
  dir: string;
  gitDir: string;
}

/** Commit of a worktree, and the branch to which its HEAD refers: a branch in worktrees of tasks, none in check trees. */
export interface TreeHead {
  commit: string;
  branch?: string;
}

/** Makes a worktree at `dir`. The branch need not exist yet. */
export async function createRegisteredTree(
  cache: string,
  dir: string,
  head: TreeHead,
  signal?: AbortSignal,
): Promise<Outcome<RegisteredTree>> {
  // The name must be unique, because an earlier task of the same name may have left a tree that another task uses now.
  const name = `${basename(dir)}-${randomBytes(4).toString('hex')}`;
  const tree = { dir, gitDir: join(cache, 'worktrees', name) };
  await mkdir(tree.gitDir, { recursive: true });
  await mkdir(dir, { recursive: true });
  await Promise.all([
    writeFileAtomically(join(tree.gitDir, 'commondir'), '../..\n'),
    registerTree(tree, head),
  ]);
  const filled = await checkOutCommit(tree, head.commit, signal);
  if (filled.ok) return success(tree);
  await removeFolder(tree.gitDir);
  return filled;
}

/** Writes the files by which a worktree and its git dir refer to each other, and HEAD. */
export async function registerTree(
  { dir, gitDir }: RegisteredTree,
  { commit, branch }: TreeHead,
): Promise<void> {
  const link = join(dir, '.git');
  const lock = join(gitDir, 'locked');
  const headText = branch === undefined ? commit : `ref: refs/heads/${branch}`;
  await Promise.all([
    removeFolder(link).then(() => writeFileAtomically(link, `gitdir: ${gitDir}\n`)),
    writeFileAtomically(join(gitDir, 'gitdir'), `${link}\n`),
    writeFileAtomically(join(gitDir, 'HEAD'), `${headText}\n`),
    // Git never prunes a locked worktree, even if a task removed its `.git` file.
    branch === undefined ? removeFolder(lock) : writeFileAtomically(lock, '\n'),
  ]);
}

/**
 * Checks out a commit: writes the files that differ from it or were modified since git wrote them, and removes those that it does not have.
 */
export const checkOutCommit = (
  { dir, gitDir }: RegisteredTree,
  commit: string,
  signal?: AbortSignal,
): Promise<Outcome<Buffer, GitFailure>> =>
  runGit({
    gitDir,
    workTree: dir,
    args: ['read-tree', '--reset', '-u', commit],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    signal,
  });

/** Restores a tree to a commit and removes untracked files, except folders named in `excludedNames`. Returns whether that succeeded. */
export async function resetTree(
  { dir, gitDir }: RegisteredTree,
  commit: string,
  excludedNames: readonly string[] = [],
): Promise<boolean> {
  const args = ['clean', '-ffdxq', ...excludedNames.flatMap((name) => ['-e', name])];
  // Untracked files are removed first, since leftover attribute files of a run would influence how git writes files.
  const cleaned = await runGit({ gitDir, workTree: dir, args, timeoutMs: CHECKOUT_TIMEOUT_MS });
  return cleaned.ok && (await checkOutCommit({ dir, gitDir }, commit)).ok;
}
