/**
 * Scratch trees beside a workspace, for trying several drafts from one state. A fork holds the workspace's tracked and
 * untracked files as they are when it is made, without the ignored ones; they are written anew from git's objects, so
 * nothing that is written in one tree reaches another. Nothing of a fork is published.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Outcome } from '../ports.ts';
import { addWorktree } from './add-worktree.ts';
import { makeCommit } from './commit-object.ts';
import { runGit } from './git.ts';
import { removeFolder } from '../system/remove-folder.ts';
import { isFolder } from './repository-cache.ts';
import type { Fork, ForkWishes } from './task-workspace.ts';
import { changedPaths, snapshotOfChanges, writeSnapshot, type Snapshot, type WorkTree } from './work-tree.ts';
import { success } from './workspace-error.ts';

const CHECKOUT_TIMEOUT_MS = 300_000;

interface ForkOptions {
  tree: WorkTree;
  /** Where the forks of this workspace are. */
  folder: string;
  wishes?: ForkWishes;
}

/** A detached worktree: git in it tells what differs from the state that it began with. */
export async function forkWorktree(
  options: ForkOptions & { cache: string; baseCommit: string; sourcePath?: string; clock: Clock },
): Promise<Outcome<Fork>> {
  const { cache, baseCommit, sourcePath, clock, wishes } = options;
  return makeFork(options, async (dir, present) => {
    const commit =
      present === undefined
        ? success(baseCommit)
        : await makeCommit(cache, present.treeId, baseCommit, 'Fork of a workspace', clock);
    if (!commit.ok) return commit;
    const gitDir = await addWorktree(cache, dir, ['--detach', commit.value], wishes?.signal);
    if (!gitDir.ok) return gitDir;
    const fork = { gitDir: gitDir.value, dir };
    return success({
      gitDirs: [cache],
      sourcePath,
      commit: () => commitIn(fork, commit.value, clock),
      forget: () => removeFolder(fork.gitDir),
    });
  });
}

async function commitIn(
  { gitDir, dir }: Pick<WorkTree, 'gitDir' | 'dir'>,
  parent: string,
  clock: Clock,
): Promise<Outcome<true>> {
  const own = { gitDir, dir, baseIndex: join(gitDir, 'index') };
  const changed = await changedPaths(own);
  if (!changed.ok) return changed;
  const present = await writeSnapshot(own, changed.value);
  if (!present.ok) return present;
  const commit = await makeCommit(gitDir, present.value.treeId, parent, 'A change that is tried', clock);
  if (!commit.ok) return commit;
  const moved = await runGit({ gitDir, args: ['update-ref', '--no-deref', 'HEAD', commit.value] });
  if (!moved.ok) return moved;
  await rename(present.value.indexFile, own.baseIndex);
  return success(true);
}

/** Removes the forks that are left of a worktree, and their registrations. */
export async function removeForks(cache: string, folder: string): Promise<void> {
  if (!(await isFolder(folder))) return;
  await removeFolder(folder);
  // Those of tasks are locked, and stay.
  await runGit({ gitDir: cache, args: ['worktree', 'prune', '--expire=now'] });
}

/** The files alone, for a workspace that is no worktree. */
export async function forkFolder(options: ForkOptions): Promise<Outcome<Fork>> {
  const { tree, wishes } = options;
  return makeFork(options, async (dir, present) => {
    await mkdir(dir);
    const written = await runGit({
      gitDir: tree.gitDir,
      workTree: tree.dir,
      indexFile: present?.indexFile ?? tree.baseIndex,
      args: ['checkout-index', '--all', '--quiet', `--prefix=${dir}/`],
      timeoutMs: CHECKOUT_TIMEOUT_MS,
      signal: wishes?.signal,
    });
    return written.ok
      ? success({
          gitDirs: [],
          commit: () => Promise.resolve(success(true as const)),
          forget: () => Promise.resolve(),
        })
      : written;
  });
}

/** What making the tree brings; `forget` takes away what is not in its folder. */
type Made = Pick<Fork, 'gitDirs' | 'sourcePath' | 'commit'> & { forget: () => Promise<void> };

type State = Pick<Snapshot, 'treeId' | 'indexFile'>;

/** `fill` gets the present state, or undefined where it is that of the base. */
async function makeFork(
  { tree, folder, wishes = {} }: ForkOptions,
  fill: (dir: string, present: State | undefined) => Promise<Outcome<Made>>,
): Promise<Outcome<Fork>> {
  const name = randomBytes(6).toString('hex');
  const dir = join(folder, name);
  const indexFile = join(folder, `${name}.index`);
  await mkdir(folder, { recursive: true });
  const present = await snapshotOfChanges(tree, { signal: wishes.signal, indexFile });
  const made = present.ok ? await fill(dir, present.value) : present;
  await removeFolder(indexFile);
  if (!made.ok) {
    await removeFolder(dir);
    return made;
  }
  const { forget, ...where } = made.value;
  const release = async (): Promise<void> => {
    await Promise.all([removeFolder(dir), forget()]);
  };
  return success({ dir, ...where, release });
}
