/**
 * Tracks a folder against a base. Worktrees and folders of callers share this part. Its state consists of the index of the
 * last snapshot and the last tree id. Calls run one after another.
 */
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { Logger } from '../base/ports.ts';
import { describeDifference } from './changes.ts';
import type { Difference } from './changes.ts';
import { listFilesInSubmodules, findMisfits } from './not-in-worktree.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { listNames } from '../base/values/shortening.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { runGit } from './git.ts';
import { CHECKOUT_TIMEOUT_MS } from './registered-tree.ts';
import { callOf, changedPaths, fingerprintOf, takeSnapshot, writeSnapshot } from './work-tree.ts';
import type { ChangedPath, Snapshot, WorkTree } from './work-tree.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './with-files.ts';

/** Maximum number of omitted paths that a result names. */
const MAX_NAMED = 10;

/** Files of the folder that are not stored; the result lists them as omitted. */
export interface OmittedFiles {
  /** Folders of other repositories. */
  submodules?: readonly string[];
  /** See `CheckoutDifferences`. */
  hasStoredOtherwise?: boolean;
  /** Returns the pattern that protects a path from changes; undefined if it is not protected. */
  protection?: (path: string) => string | undefined;
}

/** Returns the parts of a `PreparedWorkspace` that all folders share, and those of a commit. */
export function trackFolder(
  tree: WorkTree,
  logger: Logger | undefined,
  { submodules = [], hasStoredOtherwise = false, protection = () => undefined }: OmittedFiles = {},
) {
  const committedIndex = `${tree.baseIndex}.committed`;
  let compareIndex = tree.baseIndex;
  let last: { state: string; treeId: string } | undefined;
  let reading: Promise<unknown> = Promise.resolve();

  const readTreeId = async (): Promise<Outcome<string>> => {
    const changed = await changedPaths(tree);
    if (!changed.ok) return changed;
    const state = await fingerprintOf(changed.value);
    if (last?.state === state) return success(last.treeId);
    // Commands of a killed worker may still write to the old index.
    const indexFile = `${tree.baseIndex}.${randomUUID()}`;
    const written = await writeSnapshot(tree, changed.value, { indexFile });
    await removeFolder(indexFile);
    if (!written.ok) return written;
    last = { state, treeId: written.value.treeId };
    return success(last.treeId);
  };
  /** Stores the content as a tree; later `uncommittedFiles` compares with it. */
  const snapshot = async (): Promise<Outcome<Snapshot>> => {
    const changed = await changedPaths(tree);
    if (!changed.ok) return changed;
    const [free, held] = sortOut(changed.value, protection);
    const misfits = hasStoredOtherwise ? await findMisfits(tree, free) : new Map<string, string>();
    const written = await writeSnapshot(
      tree,
      free.filter(({ path }) => !misfits.has(String(path))),
    );
    if (!written.ok) return written;
    const inside = await listFilesInSubmodules(tree.dir, submodules);
    const leftOut = [
      ...written.value.leftOut,
      ...held.map(({ path, pattern }) => `${path} (protected: ${pattern})`),
      ...[...misfits].map(([path, reason]) => `${path} (${reason})`),
      ...[...(tree.written?.leftOut ?? [])].map((path) => `${path} (in a folder of dependencies)`),
      ...inside.map((path) => `${path} (in a submodule: submit a task for its own repository)`),
    ];
    if (leftOut.length > 0) logger?.warn({ leftOut }, 'Files were omitted from the commit');
    await rename(written.value.indexFile, committedIndex);
    compareIndex = committedIndex;
    return success({ ...written.value, leftOut, indexFile: committedIndex });
  };
  const port: Pick<PreparedWorkspace, 'uncommittedFiles' | 'treeId' | 'restore'> = {
    uncommittedFiles: async () => {
      const changed = await changedPaths({ ...tree, baseIndex: compareIndex });
      if (!changed.ok) return [`(unknown: ${changed.failure.message})`];
      return sortOut(changed.value, protection)[0].map(({ path }) => path.toString('utf8'));
    },
    /** Stores the content. Calls run one after another, so each starts from the content that the previous one stored. */
    treeId: () => {
      const read = reading.then(readTreeId, readTreeId);
      reading = read;
      return read;
    },
    restore: (treeId) => catchFileErrors(() => restore(tree, treeId)),
  };
  const describe = (from: string, to: string, leftOut: readonly string[]) =>
    describeChanges(tree, from, to, leftOut);
  return { port, snapshot, describe };
}

/** Restores a stored tree. Ignored files, and files that no snapshot can store, are not changed. No task may work at the same time. */
async function restore(tree: WorkTree, treeId: string): Promise<Outcome<true>> {
  if (!/^[\da-f]{40,64}$/u.test(treeId)) return failure('git_failed', `${treeId} is not a git tree`);
  const present = { ...tree, baseIndex: `${tree.baseIndex}.present` };
  try {
    const now = await takeSnapshot(tree, { indexFile: present.baseIndex });
    if (!now.ok) return now;
    // From an index of the present files git knows which files to write and which to remove.
    const args = ['read-tree', '--reset', '-u', treeId];
    const restored = await runGit(callOf(present, args, { timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return restored.ok ? success(true) : restored;
  } finally {
    await removeFolder(present.baseIndex);
  }
}

async function describeChanges(
  { gitDir }: WorkTree,
  from: string,
  to: string,
  leftOut: readonly string[],
): Promise<Outcome<Difference>> {
  const difference = await describeDifference(gitDir, from, to);
  if (!difference.ok || leftOut.length === 0) return difference;
  const note = `left out: ${listNames(leftOut, MAX_NAMED)}`;
  const { patch_omitted: reason } = difference.value;
  return success({ ...difference.value, patch_omitted: reason === undefined ? note : `${reason}; ${note}` });
}

/**
 * Separates paths that may be stored from those that a pattern protects. A command may have changed a protected path through a parent
 * folder: a file that replaces such a folder would remove the protected path, so the file is not stored either.
 */
function sortOut(
  changed: readonly ChangedPath[],
  protection: (path: string) => string | undefined,
): [free: ChangedPath[], held: { path: string; pattern: string }[]] {
  const free: ChangedPath[] = [];
  const held: { path: string; pattern: string }[] = [];
  const parents = new Map<string, string>();
  // The path of a folder comes before the paths in it. In reverse order, the paths that a file would remove have been handled already.
  for (const entry of changed.toReversed()) {
    const path = entry.path.toString('utf8');
    const pattern = protection(path) ?? parents.get(path);
    if (pattern === undefined) free.push(entry);
    else held.push({ path, pattern });
    if (pattern !== undefined && entry.tracked) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
        parents.set(path.slice(0, end), pattern);
    }
  }
  return [free.toReversed(), held.toReversed()];
}
