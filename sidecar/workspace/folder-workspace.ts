/**
 * Opens a folder of the caller as a workspace. A private git dir outside of the folder tracks the changes, so the caller's index, HEAD and
 * commits are never modified.
 */
import { existsSync } from 'node:fs';
import { realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../base/ports.ts';
import type { Changes } from '../base/protocol/result.ts';
import { createBaseTree } from './base-tree.ts';
import { gitFoldersOf, objectStores } from './copy-source.ts';
import { checkOutInto } from './check-tree.ts';
import { makeCommit } from './commit-object.ts';
import { idOf, runGit } from './git.ts';
import { ensureGitDir, formatOf } from './private-git-dir.ts';
import { systemClock } from '../base/system/clock.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { discoverRepository, isFolder, pathInRepository, type LocalRepository } from './repository-source.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { trackFolder } from './tracked-folder.ts';
import { callOf, takeSnapshot, type WorkTree } from './work-tree.ts';
import { failure, type Outcome, success, unwrapOutcome } from '../base/values/outcome.ts';
import { catchFileErrors } from './with-files.ts';
import { WrittenPaths } from './written-paths.ts';
import { makeTemporaryFolder } from '../base/system/temporary-folder.ts';

const BASELINE_TIMEOUT_MS = 300_000;

interface TrackedFolder {
  dir: string;
  /** The private git dir. */
  gitDir: string;
  baseTree: string;
  baseCommit?: string;
  /** The caller's HEAD. */
  head?: string;
  /** The git folders behind the folder's own `.git`. */
  shownGitDirs: readonly string[];
  /** The object stores that the private git dir reads. */
  stores: readonly string[];
  logger?: Logger;
}

const treeOf = ({ gitDir, dir }: Pick<TrackedFolder, 'gitDir' | 'dir'>): WorkTree => ({
  gitDir,
  dir,
  baseIndex: join(gitDir, 'base-index'),
});

/**
 * Opens a folder of the caller, git repository or not, as a workspace: the base is its present content, including uncommitted edits.
 * `privateDir` (default: a temporary folder) holds the tracking; `release` removes it.
 */
export function openFolderWorkspace(
  dir: string,
  options: { privateDir?: string; logger?: Logger; signal?: AbortSignal } = {},
): Promise<Outcome<PreparedWorkspace>> {
  return catchFileErrors(async () => {
    if (!(await isFolder(dir))) return failure('workspace_folder_missing', `There is no folder at ${dir}`);
    const folder = await realpath(dir);
    const gitDir = options.privateDir ?? makeTemporaryFolder('ollama-sidecar-tracking-');
    const repository = await discoverRepository(folder);
    const head = repository && (await headOf(repository, folder));
    const stores = repository ? await objectStores(repository) : [];
    await ensureGitDir(gitDir, await adoptedSettings(repository, head, stores));
    const base = await takeBaseline(treeOf({ gitDir, dir: folder }), head?.tree, options.signal);
    if (!base.ok) return base;
    const shownGitDirs = repository ? await gitFoldersOf(repository, folder) : [];
    return success(
      openFolder({
        dir: folder,
        gitDir,
        baseTree: base.value,
        baseCommit: base.value === head?.tree ? head.commit : undefined,
        head: head?.commit,
        shownGitDirs,
        stores,
        logger: options.logger,
      }),
    );
  });
}

/** Returns commit and tree of the caller's HEAD, for the folder's path in it; undefined before the first commit. */
async function headOf(
  repository: LocalRepository,
  folder: string,
): Promise<{ commit: string; tree: string } | undefined> {
  const inside = pathInRepository(repository, folder);
  const [commit, tree] = await Promise.all([
    idOf(repository.gitDir, 'HEAD^{commit}'),
    idOf(repository.gitDir, inside === '' ? 'HEAD^{tree}' : `HEAD:${inside}`),
  ]);
  return commit.ok && tree.ok ? { commit: commit.value, tree: tree.value } : undefined;
}

async function adoptedSettings(
  repository: LocalRepository | undefined,
  head: { commit: string } | undefined,
  stores: readonly string[],
): Promise<Parameters<typeof ensureGitDir>[1]> {
  if (!repository) return {};
  const excludes = await readSmallFile(join(repository.commonDir, 'info', 'exclude'));
  return {
    format: formatOf(head?.commit ?? ''),
    excludes: excludes ?? '',
    // Only new objects are stored in the private git dir.
    alternates: stores,
  };
}

/** Stores the folder's present content in the base index. Returns the tree. */
async function takeBaseline(
  tree: WorkTree,
  headTree: string | undefined,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const args = headTree === undefined ? ['read-tree', '--empty'] : ['read-tree', headTree];
  const bounds = { timeoutMs: BASELINE_TIMEOUT_MS, signal };
  const read = await runGit(callOf(tree, args, bounds));
  if (!read.ok) return read;
  // Exit code 1 only means that something differs; the call updates the file times.
  if (headTree !== undefined) await runGit(callOf(tree, ['update-index', '-q', '--refresh'], bounds));
  const snapshot = await takeSnapshot(tree, { signal });
  if (!snapshot.ok) return snapshot;
  await rename(snapshot.value.indexFile, tree.baseIndex);
  return success(snapshot.value.treeId);
}

function openFolder(options: TrackedFolder): PreparedWorkspace {
  const { dir, gitDir, baseTree, baseCommit, logger } = options;
  const written = new WrittenPaths(treeOf(options), { isPersistent: true });
  const tree = { ...treeOf(options), written };
  const folder = trackFolder(tree, logger);
  let lastTree = baseTree;
  const commitOf = (treeId: string, parent = options.head): Promise<Outcome<string>> =>
    makeCommit(gitDir, treeId, parent, 'Work to be checked', systemClock);
  const commit = async (): Promise<Changes> => {
    const snapshot = unwrapOutcome(await folder.snapshot());
    lastTree = snapshot.treeId;
    const difference = unwrapOutcome(await folder.describe(baseTree, snapshot.treeId, snapshot.leftOut));
    return { base_commit: baseCommit, ...difference };
  };
  return {
    dir,
    baseCommit,
    gitDirs: options.shownGitDirs,
    sourceDirty: Promise.resolve(false),
    // An ignored file that existed in a caller's folder before belongs to the caller. Restoring an earlier state must not remove it.
    onWrite: async (path) => {
      if (!existsSync(join(dir, path))) await written.record(path);
    },
    ...folder.port,
    commit,
    publish: () => Promise.resolve(success(undefined)),
    base: createBaseTree(tree),
    checkOut: checkOutInto({
      tree,
      cache: gitDir,
      stores: options.stores,
      dir: join(gitDir, 'checks', 'tree'),
      folder: join(gitDir, 'checks'),
      base: () => commitOf(baseTree),
      head: () => commitOf(lastTree),
      present: folder.port.treeId,
      commit: commitOf,
    }).checkOut,
    committedTree: () => Promise.resolve(lastTree),
    release: () => removeFolder(gitDir),
  };
}
