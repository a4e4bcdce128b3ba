/**
 * Tracks the changes of a folder against a base; used for worktrees and for folders of callers. Its state is the index of the last snapshot
 * and the last tree id. Calls run one after another.
 */
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { Logger } from '../base/ports.ts';
import { describeDifference } from './changes.ts';
import type { Difference } from './changes.ts';
import { listFilesInSubmodules, findMisfits } from './checkout-differences.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { listNames } from '../base/values/shortening.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { runGit } from './git.ts';
import { CHECKOUT_TIMEOUT_MS } from './registered-tree.ts';
import { buildGitCall, listChangedPaths, fingerprintOf, takeSnapshot, writeSnapshot } from './work-tree.ts';
import type { ChangedPath, Snapshot, WorkTree } from './work-tree.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './catch-file-errors.ts';

/** Maximum number of omitted paths that a result names. */
const MAX_NAMED_PATHS = 10;

/** Describes files of a folder that are not stored. The result lists them as omitted. */
export interface OmittedFiles {
  /** Folders of submodules. */
  submodules?: readonly string[];
  /** See `CheckoutDifferences`. */
  hasConvertedFiles?: boolean;
  /** Returns the pattern that protects a path from changes; undefined if it is not protected. */
  protectingPatternOf?: (path: string) => string | undefined;
}

/** Returns the functions of a `PreparedWorkspace` that do not depend on the kind of folder, and those from which `commit` is built. */
export function trackFolder(
  tree: WorkTree,
  logger: Logger | undefined,
  { submodules = [], hasConvertedFiles = false, protectingPatternOf = () => undefined }: OmittedFiles = {},
) {
  const committedIndex = `${tree.baseIndex}.committed`;
  let compareIndex = tree.baseIndex;
  let last: { state: string; treeId: string } | undefined;
  let pendingRead: Promise<unknown> = Promise.resolve();

  const storeTree = async (): Promise<Outcome<string>> => {
    const changed = await listChangedPaths(tree);
    if (!changed.ok) return changed;
    const state = await fingerprintOf(changed.value);
    if (last?.state === state) return success(last.treeId);
    // A new index file, since commands of a killed worker may still write to an old one.
    const indexFile = `${tree.baseIndex}.${randomUUID()}`;
    const written = await writeSnapshot(tree, changed.value, { indexFile });
    await removeFolder(indexFile);
    if (!written.ok) return written;
    last = { state, treeId: written.value.treeId };
    return success(last.treeId);
  };
  /** Stores the content as a tree, with which a later `listUncommittedFiles` compares. */
  const snapshot = async (): Promise<Outcome<Snapshot>> => {
    const changed = await listChangedPaths(tree);
    if (!changed.ok) return changed;
    const [unprotected, protectedChanges] = separateProtectedPaths(changed.value, protectingPatternOf);
    const misfits = hasConvertedFiles ? await findMisfits(tree, unprotected) : new Map<string, string>();
    const written = await writeSnapshot(
      tree,
      unprotected.filter(({ path }) => !misfits.has(String(path))),
    );
    if (!written.ok) return written;
    const submoduleFiles = await listFilesInSubmodules(tree.dir, submodules);
    const omittedPaths = [
      ...written.value.omittedPaths,
      ...protectedChanges.map(({ path, pattern }) => `${path} (protected: ${pattern})`),
      ...[...misfits].map(([path, reason]) => `${path} (${reason})`),
      ...[...(tree.writtenPaths?.dependencyPaths ?? [])].map(
        (path) => `${path} (in a folder of dependencies)`,
      ),
      ...submoduleFiles.map((path) => `${path} (in a submodule: submit a task for its own repository)`),
    ];
    if (omittedPaths.length > 0) logger?.warn({ omittedPaths }, 'Files were omitted from the commit');
    await rename(written.value.indexFile, committedIndex);
    compareIndex = committedIndex;
    return success({ ...written.value, omittedPaths, indexFile: committedIndex });
  };
  const port: Pick<PreparedWorkspace, 'listUncommittedFiles' | 'storePresentTree' | 'restore'> = {
    listUncommittedFiles: async () => {
      const changed = await listChangedPaths({ ...tree, baseIndex: compareIndex });
      if (!changed.ok) return [`(unknown: ${changed.failure.message})`];
      return separateProtectedPaths(changed.value, protectingPatternOf)[0].map(({ path }) =>
        path.toString('utf8'),
      );
    },
    /** Stores the content after all earlier calls have ended, since a snapshot starts from the index of the previous one. */
    storePresentTree: () => {
      const nextRead = pendingRead.then(storeTree, storeTree);
      pendingRead = nextRead;
      return nextRead;
    },
    restore: (treeId) => catchFileErrors(() => restoreTree(tree, treeId)),
  };
  const describe = (from: string, to: string, omittedPaths: readonly string[]) =>
    describeChanges(tree, from, to, omittedPaths);
  return { port, snapshot, describe };
}

/** Restores a stored tree. Ignored files, and files that no snapshot can store, are not changed. The task must not run at the same time. */
async function restoreTree(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  if (!/^[\da-f]{40,64}$/u.test(treeId)) return failure('git_failed', `${treeId} is not a git tree`);
  const presentTree = { ...tree, baseIndex: `${tree.baseIndex}.present` };
  try {
    const snapshot = await takeSnapshot(tree, { indexFile: presentTree.baseIndex });
    if (!snapshot.ok) return snapshot;
    // git compares this tree with an index of the present files, and so finds the files to write and to remove.
    const args = ['read-tree', '--reset', '-u', treeId];
    const restored = await runGit(buildGitCall(presentTree, args, { timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return restored.ok ? success(true) : restored;
  } finally {
    await removeFolder(presentTree.baseIndex);
  }
}

async function describeChanges(
  { gitDir }: WorkTree,
  fromTree: string,
  toTree: string,
  omittedPaths: readonly string[],
): Promise<Outcome<Difference>> {
  const difference = await describeDifference(gitDir, fromTree, toTree);
  if (!difference.ok || omittedPaths.length === 0) return difference;
  const note = `left out: ${listNames(omittedPaths, MAX_NAMED_PATHS)}`;
  const { patch_omitted: reason } = difference.value;
  return success({ ...difference.value, patch_omitted: reason === undefined ? note : `${reason}; ${note}` });
}

/**
 * Separates paths that may be stored from those that a pattern protects. A command may have changed a protected path through a parent
 * folder: a file that replaces such a folder would remove the protected path, so the file is not stored either.
 */
function separateProtectedPaths(
  changes: readonly ChangedPath[],
  protectionOf: (path: string) => string | undefined,
): [free: ChangedPath[], held: { path: string; pattern: string }[]] {
  const unprotected: ChangedPath[] = [];
  const protectedChanges: { path: string; pattern: string }[] = [];
  const patternByParent = new Map<string, string>();
  // In reverse order, the paths in a folder come before its own path: a file that replaces a folder with protected paths is protected, too.
  for (const entry of changes.toReversed()) {
    const path = entry.path.toString('utf8');
    const pattern = protectionOf(path) ?? patternByParent.get(path);
    if (pattern === undefined) unprotected.push(entry);
    else protectedChanges.push({ path, pattern });
    if (pattern !== undefined && entry.isTracked) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
        patternByParent.set(path.slice(0, end), pattern);
    }
  }
  return [unprotected.toReversed(), protectedChanges.toReversed()];
}
