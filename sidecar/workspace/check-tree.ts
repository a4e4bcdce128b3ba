/**
 * Provides the tree of a task in which only checks run. The worker checks out a commit into it and restores it before each run, so that no
 * tracked, untracked or ignored file of an earlier run remains. Commands of the model cannot access it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { onAbort } from '../base/system/on-abort.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import { restoreBasePaths } from './base-tree.ts';
import { resolveTree } from './commit-object.ts';
import { runGit, runGitText } from './git.ts';
import { listPathsWithOtherLineEndings } from './line-endings.ts';
import { BUILD_FOLDERS } from './shared-dependencies.ts';
import { writeFileAtomically } from './private-git-dir.ts';
import { type RegisteredTree, resetTree } from './registered-tree.ts';
import { isFolder } from './repository-source.ts';
import { listChangedPaths, takeSnapshot, type WorkTree } from './work-tree.ts';
import { addWorktree, retainTree } from './warm-trees.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { WrittenPaths } from './written-paths.ts';

/**
 * The state to check: the base, the last commit, the last commit with some paths as in the base (removed if the base lacks them), or the
 * present files of the task.
 */
export type CheckedState = 'base' | 'commit' | 'present' | { withBase: readonly string[] };

/** A check tree with a commit checked out. The next run can use the tree after `release`. */
export interface CheckTree {
  readonly dir: string;
  readonly gitDirs: readonly string[];
  /** See `PreparedWorkspace.onWrite`. */
  readonly onWrite: (path: string) => Promise<void>;
  /** Work tree of the task's local source, from which dependencies may be shared; undefined for any other source. */
  readonly sourcePath?: string;
  /** Folder for caches of the tools that checks run. */
  readonly cacheDir: string;
  /** Whether build folders or caches of earlier check runs are present. Runs without them take long. */
  readonly hasOldCaches: boolean;
  /** Commits the present content, which includes a change under trial, so that git commands in the tree compare with it. */
  commit(): Promise<Outcome<true>>;
  /** Returns the git tree of the content; undefined if git fails. */
  readTreeId(): Promise<string | undefined>;
  /** Returns whether the tree contains only files of its commit, and no caches of earlier runs exist. */
  isClean(): Promise<boolean>;
  /** Returns the paths that differ from the commit. */
  listUncommittedFiles(): Promise<string[]>;
  release(): void;
}

export type CheckTreeProvider = (state: CheckedState, signal?: AbortSignal) => Promise<Outcome<CheckTree>>;

export interface CheckTreeOptions {
  tree: WorkTree;
  /** Git dir that contains the commits of the base and of the task. */
  cache: string;
  /** Object stores of other repositories that `cache` reads from. */
  objectStores?: readonly string[];
  /** Path of the check tree. */
  dir: string;
  /** Folder for caches of the checks and for this module's own files. */
  stateFolder: string;
  sourcePath?: string;
  /** Returns the commit of the base. */
  resolveBase: () => Promise<Outcome<string>>;
  /** Returns the last commit of the task, or the base if there is none. */
  resolveHead: () => Promise<Outcome<string>>;
  /** Returns git's id of the tree of the present files. */
  storePresentTree: () => Promise<Outcome<string>>;
  /** Commits a tree on top of the base or of another commit. */
  commitTree: (treeId: string, parent?: string) => Promise<Outcome<string>>;
}

/** Duration from which a run reuses the caches of earlier runs, since a clean run would take too long. */
const LONG_RUN_MS = 10_000;

interface CheckedOutTree extends RegisteredTree {
  commit: string;
}

/**
 * Creates the check tree of a task, which is made on disk at the first run. Runs use it one after another. A run that is aborted stops
 * waiting for the tree.
 */
export function createCheckTree(options: CheckTreeOptions): {
  checkOut: CheckTreeProvider;
  /** Retains the tree for the next task if there are fewer than `max`; otherwise removes it. */
  close(maxRetained: number): Promise<void>;
} {
  const { cache, objectStores = [], dir, stateFolder, sourcePath } = options;
  // The folder also contains the layers over caches of the host.
  const caches = join(stateFolder, 'caches');
  const cacheDir = join(caches, 'own');
  const turns = new PQueue({ concurrency: 1 });
  let gitDir: string | undefined;
  let isSlow = false;

  const fillTree = async (state: CheckedState, signal?: AbortSignal): Promise<Outcome<CheckedOutTree>> => {
    // The checks that decide the result run without the caches of earlier runs, unless that takes long.
    const isFinal = state === 'commit' || typeof state === 'object';
    if (isFinal && !isSlow) await removeFolder(caches);
    await mkdir(cacheDir, { recursive: true });
    const commit = await resolveCommit(options, state);
    if (!commit.ok) return commit;
    if (gitDir !== undefined && (await restoreTree({ gitDir, dir }, commit.value, isSlow)))
      return success({ dir, gitDir, commit: commit.value });
    // The tree is made on disk at the first run, and again if a check left files that git cannot remove.
    for (const path of [dir, gitDir]) if (path !== undefined) await removeFolder(path);
    gitDir = undefined;
    const added = await addWorktree(cache, dir, { commit: commit.value }, signal);
    if (!added.ok) return added;
    gitDir = added.value.gitDir;
    return success({ dir, gitDir, commit: commit.value });
  };

  const openTree = async (
    state: CheckedState,
    endTurn: () => void,
    signal?: AbortSignal,
  ): Promise<Outcome<CheckTree>> => {
    const filled = await fillTree(state, signal);
    if (!filled.ok) return filled;
    const { commit, ...registered } = filled.value;
    // The folder has one entry for the task's own cache, and more if earlier runs made layers over caches of the host.
    const hasLayers = (await readdir(caches)).length > 1;
    const isUsed = (): Promise<boolean> => hasOtherContent(registered, cacheDir).catch(() => true);
    const hasOldCaches = isSlow && (await isUsed());
    const startMs = performance.now();
    let isTrial = false;
    const ownTree = { ...registered, baseIndex: join(registered.gitDir, 'index') };
    const writtenPaths = new WrittenPaths(ownTree, { isPersistent: false });
    const tree: CheckTree = {
      dir,
      gitDirs: [cache, ...objectStores],
      sourcePath,
      cacheDir,
      hasOldCaches,
      commit: () => {
        isTrial = true;
        return commitPresent(options, { ...ownTree, writtenPaths }, commit);
      },
      readTreeId: () => readHeadTree(registered.gitDir),
      isClean: async () => !hasLayers && !(await isUsed()),
      onWrite: (path) => writtenPaths.record(path),
      listUncommittedFiles: () => listDifferences(registered, options.tree.baseIndex),
      release: () => {
        // A change under trial may cause an endless run, so its duration does not count.
        isSlow ||= !isTrial && performance.now() - startMs >= LONG_RUN_MS;
        endTurn();
      },
    };
    return success(tree);
  };

  const checkOut: CheckTreeProvider = async (state, signal) => {
    const turn = await waitForTurn(turns, signal);
    if (!turn.ok) return turn;
    const opened = await openTree(state, turn.value, signal).catch((error: unknown) => {
      turn.value();
      throw error;
    });
    if (!opened.ok) turn.value();
    return opened;
  };
  return {
    checkOut,
    close: async (maxRetained) => {
      if (gitDir !== undefined) await retainOrRemove({ gitDir, dir }, maxRetained);
    },
  };
}

async function retainOrRemove({ gitDir, dir }: RegisteredTree, maxRetained: number): Promise<void> {
  const commit = await readHead(gitDir);
  const index = join(gitDir, 'index');
  if (commit === undefined || !(await retainTree({ dir, gitDir }, { commit, index, max: maxRetained })))
    await Promise.all([dir, gitDir].map(removeFolder));
}

/**
 * Waits until the caller may use the tree. The returned function gives it to the next caller. The queue does not get the
 * signal: it would give the tree to the next caller on an abort, while processes of this one may still write to it.
 */
function waitForTurn(turns: PQueue, signal?: AbortSignal): Promise<Outcome<() => void>> {
  return new Promise((resolve) => {
    const unlisten = onAbort(signal, () =>
      resolve(failure('aborted', 'Stopped before the checks could run')),
    );
    const turn = async (): Promise<void> => {
      unlisten();
      if (!signal?.aborted) await new Promise<void>((end) => resolve(success(end)));
    };
    void turns.add(turn);
  });
}

/** Removes the remains of a check tree: its folder, the folder of its caches, and its registration in git. */
export async function removeCheckTree(
  cache: string,
  [dir, folder]: readonly [string, string],
): Promise<void> {
  const isThere = await isFolder(dir);
  await Promise.all([dir, folder].map(removeFolder));
  // Worktrees of tasks are locked, so this does not remove them.
  if (isThere) await runGit({ gitDir: cache, args: ['worktree', 'prune', '--expire=now'] });
}

async function commitPresent(
  { commitTree }: CheckTreeOptions,
  ownTree: WorkTree,
  parent: string,
): Promise<Outcome<true>> {
  const present = await takeSnapshot(ownTree);
  if (!present.ok) return present;
  const commit = await commitTree(present.value.treeId, parent);
  if (!commit.ok) return commit;
  await setHead(ownTree.gitDir, commit.value);
  await rename(present.value.indexFile, ownTree.baseIndex);
  return success(true);
}

async function resolveCommit(options: CheckTreeOptions, state: CheckedState): Promise<Outcome<string>> {
  const { resolveBase, resolveHead, storePresentTree, commitTree } = options;
  if (state === 'base') return resolveBase();
  if (state === 'commit') return resolveHead();
  const treeId =
    state === 'present' ? await storePresentTree() : await makeTreeWithBase(options, state.withBase);
  return treeId.ok ? commitTree(treeId.value) : treeId;
}

async function makeTreeWithBase(
  { tree, stateFolder, resolveHead }: CheckTreeOptions,
  paths: readonly string[],
): Promise<Outcome<string>> {
  const commit = await resolveHead();
  if (!commit.ok) return commit;
  const indexFile = join(stateFolder, `${randomBytes(6).toString('hex')}.index`);
  try {
    const read = await runGit({ gitDir: tree.gitDir, indexFile, args: ['read-tree', commit.value] });
    return read.ok ? await restoreBasePaths(tree, indexFile, paths) : read;
  } finally {
    await removeFolder(indexFile);
  }
}

/** Restores the tree to the commit. Returns false if that failed. With `retainsBuilds`, build folders remain. */
async function restoreTree(tree: RegisteredTree, commit: string, retainsBuilds: boolean): Promise<boolean> {
  const isSet = await setHead(tree.gitDir, commit).then(
    () => true,
    () => false,
  );
  return isSet && resetTree(tree, commit, retainsBuilds ? BUILD_FOLDERS : []);
}

/** Sets a detached HEAD by writing the commit id into the file, which needs no git process. */
const setHead = (gitDir: string, commit: string): Promise<void> =>
  writeFileAtomically(join(gitDir, 'HEAD'), `${commit}\n`);

const readHead = async (gitDir: string): Promise<string | undefined> =>
  (await readSmallFile(join(gitDir, 'HEAD')))?.trim();

async function readHeadTree(gitDir: string): Promise<string | undefined> {
  const commit = await readHead(gitDir);
  const id = commit === undefined ? undefined : await resolveTree(gitDir, commit);
  return id?.ok ? id.value : undefined;
}

/** Returns whether the tree or its cache contains anything other than the commit. */
async function hasOtherContent({ gitDir, dir }: RegisteredTree, cacheDir: string): Promise<boolean> {
  if ((await readdir(cacheDir)).length > 0) return true;
  const listed = await runGitText({ gitDir, workTree: dir, args: ['clean', '-ffdxn'] });
  return !listed.ok || listed.value !== '';
}

async function listDifferences({ gitDir, dir }: RegisteredTree, baseIndex: string): Promise<string[]> {
  const changed = await listChangedPaths({ gitDir, dir, baseIndex: join(gitDir, 'index') });
  if (!changed.ok) return [`(unknown: ${changed.failure.message})`];
  const untouched = await listPathsWithOtherLineEndings(baseIndex);
  return changed.value
    .filter(({ path }) => !untouched.has(path.toString('latin1')))
    .map(({ path }) => path.toString('utf8'));
}
