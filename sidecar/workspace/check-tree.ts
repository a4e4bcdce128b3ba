/**
 * The one tree of a task in which only checks run. The worker checks a commit out into it and puts everything back before
 * each run: what an earlier run wrote is gone, tracked, untracked or ignored. No command of the model ever sees it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../ports.ts';
import { removeFolder } from '../system/remove-folder.ts';
import { addWorktree } from './add-worktree.ts';
import { restorePaths } from './base-tree.ts';
import { runGit, runGitText } from './git.ts';
import { pathsWithOtherLineEnds } from './line-ends.ts';
import { BUILD_FOLDERS } from './shared-dependencies.ts';
import type { Fork } from './task-workspace.ts';
import { changedPaths, snapshotOfChanges, type WorkTree } from './work-tree.ts';
import { success } from './workspace-error.ts';

/**
 * What is checked: what the task began from, its last commit, that commit with some paths as the base has them (missing
 * where it has none), or its files as they are now.
 */
export type CheckedState = 'base' | 'commit' | 'present' | { withBase: readonly string[] };

/** The tree with a commit in it; `release` lets the next run have it. */
export interface CheckTree extends Omit<Fork, 'commit'> {
  /** What tools cache; emptied with the rest. */
  readonly cacheDir: string;
  /** Build folders or caches of earlier runs of the checks are still there: a run without them takes long. */
  readonly keepsCaches: boolean;
  /** Paths that differ from the commit. */
  uncommittedFiles(): Promise<string[]>;
}

export type CheckOut = (state: CheckedState, signal?: AbortSignal) => Promise<Outcome<CheckTree>>;

export interface CheckTreeOptions {
  tree: WorkTree;
  /** The git dir that has the commits. */
  cache: string;
  /** Where the scratch trees of this workspace are. */
  folder: string;
  sourcePath?: string;
  /** The commits of the base and of the task's last one. */
  base: () => Promise<Outcome<string>>;
  head: () => Promise<Outcome<string>>;
  /** A commit of a tree on top of the base. */
  commit: (treeId: string) => Promise<Outcome<string>>;
}

/** From here on a run without what earlier ones built costs more than it tells. */
const LONG_RUN_MS = 10_000;

/** One run after the other: who comes meanwhile waits. Made with the first one; it goes with the workspace. */
export function checkOutInto(options: CheckTreeOptions): CheckOut {
  const { cache, folder, sourcePath } = options;
  const dir = join(folder, 'checks');
  const cacheDir = join(folder, 'checks-cache');
  let gitDir: string | undefined;
  let turn: Promise<void> = Promise.resolve();
  let takesLong = false;

  const fill = async (state: CheckedState, signal?: AbortSignal): Promise<Outcome<string>> => {
    if (!takesLong) await removeFolder(cacheDir);
    await mkdir(cacheDir, { recursive: true });
    const commit = await commitOf(options, state, signal);
    if (!commit.ok) return commit;
    if (gitDir !== undefined && (await putBack({ gitDir, dir }, commit.value, takesLong)))
      return success(gitDir);
    // The first time, and where a check left what git cannot take away.
    for (const path of [dir, gitDir]) if (path !== undefined) await removeFolder(path);
    gitDir = undefined;
    const added = await addWorktree(cache, dir, ['--detach', commit.value], signal);
    if (added.ok) gitDir = added.value;
    return added;
  };

  return async (state, signal) => {
    const before = turn;
    let free: () => void = () => undefined;
    turn = new Promise((resolve) => {
      free = resolve;
    });
    await before;
    const filled = await fill(state, signal).catch((error: unknown) => {
      free();
      throw error;
    });
    if (!filled.ok) {
      free();
      return filled;
    }
    const place = { gitDir: filled.value, dir };
    const keepsCaches = takesLong && (await holdsMore(place, cacheDir).catch(() => true));
    const startMs = performance.now();
    const release = (): Promise<void> => {
      takesLong ||= performance.now() - startMs >= LONG_RUN_MS;
      free();
      return Promise.resolve();
    };
    const uncommittedFiles = () => differing(place, options.tree.baseIndex);
    return success({ dir, gitDirs: [cache], sourcePath, cacheDir, keepsCaches, uncommittedFiles, release });
  };
}

async function commitOf(
  { tree, folder, base, head, commit }: CheckTreeOptions,
  state: CheckedState,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  if (state === 'base') return base();
  if (state === 'commit') return head();
  const indexFile = join(folder, `${randomBytes(6).toString('hex')}.index`);
  try {
    if (state === 'present') {
      const present = await snapshotOfChanges(tree, { signal, indexFile });
      if (!present.ok) return present;
      return present.value === undefined ? await base() : await commit(present.value.treeId);
    }
    const treeId = await treeWithBase(tree, indexFile, await head(), state.withBase);
    return treeId.ok ? await commit(treeId.value) : treeId;
  } finally {
    await removeFolder(indexFile);
  }
}

async function treeWithBase(
  tree: WorkTree,
  indexFile: string,
  head: Outcome<string>,
  paths: readonly string[],
): Promise<Outcome<string>> {
  if (!head.ok) return head;
  const read = await runGit({ gitDir: tree.gitDir, indexFile, args: ['read-tree', head.value] });
  return read.ok ? restorePaths(tree, indexFile, paths) : read;
}

interface Place {
  gitDir: string;
  dir: string;
}

const CHECKOUT_TIMEOUT_MS = 300_000;

/** Whether the tree is the commit's again, without anything besides. */
async function putBack({ gitDir, dir }: Place, commit: string, keepsBuilds: boolean): Promise<boolean> {
  const where = { gitDir, workTree: dir, timeoutMs: CHECKOUT_TIMEOUT_MS };
  const kept = keepsBuilds ? BUILD_FOLDERS.flatMap((name) => ['-e', name]) : [];
  for (const args of [
    ['update-ref', '--no-deref', 'HEAD', commit],
    ['read-tree', '--reset', '-u', commit],
    ['clean', '-ffdxq', ...kept],
  ]) {
    if (!(await runGit({ ...where, args })).ok) return false;
  }
  return true;
}

/** Whether anything but the commit is in the tree or its cache. */
async function holdsMore({ gitDir, dir }: Place, cacheDir: string): Promise<boolean> {
  if ((await readdir(cacheDir)).length > 0) return true;
  const listed = await runGitText({ gitDir, workTree: dir, args: ['clean', '-ffdxn'] });
  return !listed.ok || listed.value !== '';
}

async function differing({ gitDir, dir }: Place, baseIndex: string): Promise<string[]> {
  const changed = await changedPaths({ gitDir, dir, baseIndex: join(gitDir, 'index') });
  if (!changed.ok) return [`(unknown: ${changed.failure.message})`];
  const untouched = await pathsWithOtherLineEnds(baseIndex);
  return changed.value
    .filter(({ path }) => !untouched.has(path.toString('latin1')))
    .map(({ path }) => path.toString('utf8'));
}
