/**
 * Checked-out trees of ended tasks, kept for the next tasks of the same repository: in a large one a checkout takes longer
 * than the first answer. git brings a tree to its next commit with the index of its checkout: files that were touched
 * since, and those that differ, are written anew, all others are removed. If that fails the tree is removed.
 */
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { freeDiskBytes } from '../system/free-disk.ts';
import { removeFolder } from '../system/remove-folder.ts';
import { runProgram } from '../system/run-program.ts';
import { runGit } from './git.ts';
import { writeWhole } from './private-git-dir.ts';
import { copyIndex, splitNul } from './work-tree.ts';

/** The folder of kept trees beside the workspaces of a worker; no task's folder can have this name. */
export const WARM = '.warm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;
const TIMEOUT_MS = 300_000;

/** A worktree: its folder, and its git dir in the cache of its repository. */
interface RegisteredTree {
  dir: string;
  gitDir: string;
}

const folderOf = (worktreesDir: string, cache: string): string => join(worktreesDir, WARM, basename(cache));
const gitDirOf = (cache: string, dir: string): string => join(cache, 'worktrees', basename(dir));

/**
 * Keeps the tree of an ended task, of at most `max` of the repository. `index` is the one that git wrote when it checked out
 * `commit`. Returns false if the tree is not kept, since there are enough or the disk is short; the caller removes it then.
 */
export async function keepWarm(
  { dir, gitDir }: RegisteredTree,
  { commit, index, max }: { commit: string; index: string; max: number },
): Promise<boolean> {
  const worktreesDir = dirname(dir);
  const cache = dirname(dirname(gitDir));
  const folder = folderOf(worktreesDir, cache);
  const kept = join(folder, basename(gitDir));
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length >= max) return false;
    if ((await freeDiskBytes(worktreesDir)) < MIN_FREE_BYTES) return false;
    // What a task installed would delay the next one.
    if (!(await clean({ dir, gitDir }))) return false;
    if (index !== join(gitDir, 'index')) await copyIndex(index, join(gitDir, 'index'));
    await register({ dir: kept, gitDir }, { head: commit, isLocked: true });
    await rename(dir, kept);
    const now = new Date();
    await utimes(kept, now, now);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a kept tree of the repository the worktree at `dir`, with `commit` checked out as if anew. `head`: the text of its
 * HEAD. Returns its git dir; undefined if no kept tree is there or can be used.
 */
export async function takeWarm(
  cache: string,
  dir: string,
  { commit, head, isLocked }: { commit: string; head: string; isLocked: boolean },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const folder = folderOf(dirname(dir), cache);
  for (const name of await readdir(folder).catch(() => [])) {
    const gitDir = gitDirOf(cache, name);
    try {
      await rename(join(folder, name), dir);
    } catch {
      // Another task was faster.
      continue;
    }
    const isFresh = await refresh({ dir, gitDir }, commit, folder, signal).catch(() => false);
    if (isFresh) {
      await register({ dir, gitDir }, { head, isLocked });
      return gitDir;
    }
    await removeFolder(dir);
    await removeFolder(gitDir);
  }
  return undefined;
}

/** Removes kept trees: those that are older, or all if the disk is short. */
export async function pruneWarm(
  worktreesDir: string,
  isOld: (path: string) => Promise<boolean>,
): Promise<void> {
  const caches = await readdir(join(worktreesDir, WARM)).catch(() => []);
  const isShort = caches.length > 0 && (await freeDiskBytes(worktreesDir)) < MIN_FREE_BYTES;
  for (const cache of caches) {
    const folder = join(worktreesDir, WARM, cache);
    for (const name of await readdir(folder))
      if (isShort || (await isOld(join(folder, name)))) await removeFolder(join(folder, name));
  }
}

/** Writes where git finds the two parts of a worktree, and its HEAD. */
async function register(
  { dir, gitDir }: RegisteredTree,
  { head, isLocked }: { head: string; isLocked: boolean },
): Promise<void> {
  await writeWhole(join(gitDir, 'gitdir'), `${join(dir, '.git')}\n`);
  await writeWhole(join(gitDir, 'HEAD'), `${head}\n`);
  // Locked, no git forgets it because a task removed the `.git` file.
  if (isLocked) await writeWhole(join(gitDir, 'locked'), '\n');
  else await removeFolder(join(gitDir, 'locked'));
}

/** Returns whether the tree is the same now as a checkout of `commit` that was made anew. */
async function refresh(
  { dir, gitDir }: RegisteredTree,
  commit: string,
  folder: string,
  signal?: AbortSignal,
): Promise<boolean> {
  // Line ends of files that a commit leaves as they are may follow from another `.gitattributes`.
  const compared = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', 'HEAD', commit];
  const differing = await runGit({ gitDir, args: compared, timeoutMs: TIMEOUT_MS, signal });
  if (
    !differing.ok ||
    splitNul(differing.value).some((path) => basename(path.toString()) === '.gitattributes')
  )
    return false;
  await removeFolder(join(dir, '.git'));
  await writeWhole(join(dir, '.git'), `gitdir: ${gitDir}\n`);
  return (
    (await putBack({ dir, gitDir }, commit, { signal })) &&
    (await clean({ dir, gitDir }, { signal })) &&
    !(await hasOtherModes(dir, folder))
  );
}

interface CleanOptions {
  /** Names of folders that stay. */
  except?: readonly string[];
  signal?: AbortSignal;
}

/**
 * Brings a tree to a commit: what git does not know is removed, and files that were touched or differ are written anew. Returns
 * whether that worked.
 */
export async function putBack(
  tree: RegisteredTree,
  commit: string,
  options: CleanOptions = {},
): Promise<boolean> {
  // In this order: attributes that a run left decide how git writes files.
  return (await clean(tree, options)) && isDone(tree, ['read-tree', '--reset', '-u', commit], options);
}

const clean = (tree: RegisteredTree, options: CleanOptions = {}): Promise<boolean> =>
  isDone(tree, ['clean', '-ffdxq', ...(options.except ?? []).flatMap((name) => ['-e', name])], options);

async function isDone(
  { dir, gitDir }: RegisteredTree,
  args: readonly string[],
  { signal }: CleanOptions,
): Promise<boolean> {
  return (await runGit({ gitDir, workTree: dir, args, timeoutMs: TIMEOUT_MS, signal })).ok;
}

/** Returns whether a file or folder has other permissions than one that is made now; git looks at one bit of them. */
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
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  return exitCode !== 0 || stdout.length > 0;
}
