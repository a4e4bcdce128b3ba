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
import { findGitFolders, listObjectStores } from './copy-source.ts';
import { createCheckTree } from './check-tree.ts';
import { makeCommit } from './commit-object.ts';
import { resolveId, runGit } from './git.ts';
import { ensureGitDir, objectFormatOf } from './private-git-dir.ts';
import { systemClock } from '../base/system/clock.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { discoverRepository, isFolder, toRepositoryPath, type LocalRepository } from './repository-source.ts';
import { readSmallFile } from '../base/system/small-file.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { trackFolder } from './tracked-folder.ts';
import { buildGitCall, takeSnapshot, type WorkTree } from './work-tree.ts';
import { failure, type Outcome, success, unwrapOutcome } from '../base/values/outcome.ts';
import { catchFileErrors } from './catch-file-errors.ts';
import { WrittenPaths } from './written-paths.ts';
import { makeTemporaryFolder } from '../base/system/temporary-folder.ts';

const BASELINE_TIMEOUT_MS = 300_000;

interface TrackedFolder {
  dir: string;
  /** The private git dir. */
  gitDir: string;
  baseTree: string;
  baseCommit?: string;
  /** Commit of the caller's HEAD. */
  head?: string;
  /** Git folders of the caller's repository, to which the folder's `.git` refers. */
  ownGitDirs: readonly string[];
  /** Object stores of the caller's repository, from which the private git dir reads. */
  objectStores: readonly string[];
  logger?: Logger;
}

const toWorkTree = ({ gitDir, dir }: Pick<TrackedFolder, 'gitDir' | 'dir'>): WorkTree => ({
  gitDir,
  dir,
  baseIndex: join(gitDir, 'base-index'),
});

/**
 * Opens a folder of the caller, git repository or not, as a workspace: the base is its present content, including uncommitted edits.
 * `privateDir` (default: a temporary folder) holds the private git dir; `release` removes it.
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
    const head = repository && (await readHead(repository, folder));
    const objectStores = repository ? await listObjectStores(repository) : [];
    await ensureGitDir(gitDir, await buildGitDirOptions(repository, head, objectStores));
    const base = await storeBaseline(toWorkTree({ gitDir, dir: folder }), head?.tree, options.signal);
    if (!base.ok) return base;
    const ownGitDirs = repository ? await findGitFolders(repository, folder) : [];
    return success(
      openTrackedFolder({
        dir: folder,
        gitDir,
        baseTree: base.value,
        baseCommit: base.value === head?.tree ? head.commit : undefined,
        head: head?.commit,
        ownGitDirs,
        objectStores,
        logger: options.logger,
      }),
    );
  });
}

/** Returns the commit of the caller's HEAD, and the tree that it has for the folder; undefined before the first commit. */
async function readHead(
  repository: LocalRepository,
  folder: string,
): Promise<{ commit: string; tree: string } | undefined> {
  const subpath = toRepositoryPath(repository, folder);
  const [commit, tree] = await Promise.all([
    resolveId(repository.gitDir, 'HEAD^{commit}'),
    resolveId(repository.gitDir, subpath === '' ? 'HEAD^{tree}' : `HEAD:${subpath}`),
  ]);
  return commit.ok && tree.ok ? { commit: commit.value, tree: tree.value } : undefined;
}

async function buildGitDirOptions(
  repository: LocalRepository | undefined,
  head: { commit: string } | undefined,
  stores: readonly string[],
): Promise<Parameters<typeof ensureGitDir>[1]> {
  if (!repository) return {};
  const excludes = await readSmallFile(join(repository.commonDir, 'info', 'exclude'));
  return {
    format: objectFormatOf(head?.commit ?? ''),
    excludes: excludes ?? '',
    // Only new objects are stored in the private git dir.
    alternates: stores,
  };
}

/** Stores the folder's present content in the base index. Returns the tree. */
async function storeBaseline(
  tree: WorkTree,
  headTree: string | undefined,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const args = headTree === undefined ? ['read-tree', '--empty'] : ['read-tree', headTree];
  const bounds = { timeoutMs: BASELINE_TIMEOUT_MS, signal };
  const read = await runGit(buildGitCall(tree, args, bounds));
  if (!read.ok) return read;
  // The call updates the file times in the index. Its exit code 1 only means that some files differ.
  if (headTree !== undefined) await runGit(buildGitCall(tree, ['update-index', '-q', '--refresh'], bounds));
  const snapshot = await takeSnapshot(tree, { signal });
  if (!snapshot.ok) return snapshot;
  await rename(snapshot.value.indexFile, tree.baseIndex);
  return success(snapshot.value.treeId);
}

function openTrackedFolder(options: TrackedFolder): PreparedWorkspace {
  const { dir, gitDir, baseTree, baseCommit, logger } = options;
  const written = new WrittenPaths(toWorkTree(options), { isPersistent: true });
  const tree = { ...toWorkTree(options), writtenPaths: written };
  const folder = trackFolder(tree, logger);
  let lastTree = baseTree;
  const commitOf = (treeId: string, parent = options.head): Promise<Outcome<string>> =>
    makeCommit(gitDir, treeId, parent, 'Changes to be checked', systemClock);
  const commit = async (): Promise<Changes> => {
    const snapshot = unwrapOutcome(await folder.snapshot());
    lastTree = snapshot.treeId;
    const difference = unwrapOutcome(await folder.describe(baseTree, snapshot.treeId, snapshot.omittedPaths));
    return { base_commit: baseCommit, ...difference };
  };
  return {
    dir,
    baseCommit,
    gitDirs: options.ownGitDirs,
    sourceDirty: Promise.resolve(false),
    // An ignored file that existed before the task began belongs to the caller. It is not recorded as written, since restoring an earlier
    // state would then remove it.
    onWrite: async (path) => {
      if (!existsSync(join(dir, path))) await written.record(path);
    },
    ...folder.port,
    commit,
    publish: () => Promise.resolve(success(undefined)),
    base: createBaseTree(tree),
    checkOut: createCheckTree({
      tree,
      cache: gitDir,
      objectStores: options.objectStores,
      dir: join(gitDir, 'checks', 'tree'),
      stateFolder: join(gitDir, 'checks'),
      resolveBase: () => commitOf(baseTree),
      resolveHead: () => commitOf(lastTree),
      storePresentTree: folder.port.storePresentTree,
      commitTree: commitOf,
    }).checkOut,
    release: () => removeFolder(gitDir),
  };
}
