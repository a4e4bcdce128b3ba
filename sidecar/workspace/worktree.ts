/**
 * Manages the git worktree of a task: creates, commits, publishes and removes it. Its records (`task.json`, the index of the base) are in
 * the worker's tracking folder, where no task writes. `task.json` is written last and marks the worktree as complete. A worktree without it
 * is removed and created again.
 */
import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../base/values/json.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Changes } from '../base/protocol/result.ts';
import { createBaseTree } from './base-tree.ts';
import { checkOutInto, removeCheckTree } from './check-tree.ts';
import { makeCommit, treeOf } from './commit-object.ts';
import { copyIndex, idOf, runGit, splitNul } from './git.ts';
import type { CheckoutDifferences } from './not-in-worktree.ts';
import { settleLineEnds } from './line-ends.ts';
import { ensureGitDir, formatOf, writeWhole } from './private-git-dir.ts';
import { publishWork } from './publish.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import type { WorktreeSource } from './repository-source.ts';
import { checksDir, taskName, trackingFolder } from './task-names.ts';
import type { PreparedWorkspace, Publication } from './task-workspace.ts';
import { trackFolder } from './tracked-folder.ts';
import { callOf, type WorkTree } from './work-tree.ts';
import { addWorktree, retainTree } from './warm-trees.ts';
import { type Outcome, success, unwrapOutcome } from '../base/values/outcome.ts';
import { recordPaths, WrittenPaths } from './written-paths.ts';

const recordSchema = z.object({
  taskId: z.string(),
  dir: z.string(),
  /** HEAD and index of this worktree, in the cache. */
  gitDir: z.string(),
  branch: z.string(),
  baseCommit: z.string(),
});
/** The record of a worktree, so that a restart finds it. */
export type WorktreeRecord = z.output<typeof recordSchema>;

/** Paths of one worktree. */
export interface WorktreePlaces {
  cache: string;
  dir: string;
  /** The folder of the worker's record of the worktree. */
  tracking: string;
}

export const worktreePlaces = (cache: string, worktreesDir: string, taskId: string): WorktreePlaces => ({
  cache,
  dir: join(worktreesDir, taskName(taskId)),
  tracking: trackingFolder(worktreesDir, taskId),
});

/** Reads the record of a complete worktree; undefined if there is none. */
export async function readRecord({ tracking }: WorktreePlaces): Promise<WorktreeRecord | undefined> {
  const text = await readFile(join(tracking, RECORD), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : recordSchema.safeParse(parseJson(text)).data;
}
const RECORD = 'task.json';

/** Returns the folders of the checks: their tree, and the folder that belongs to it. */
export const checksFolders = ({ dir, tracking }: WorktreePlaces): [string, string] => [
  checksDir(dir),
  join(tracking, 'checks'),
];

export const workTreeOf = ({ dir, gitDir }: WorktreeRecord, { tracking }: WorktreePlaces): WorkTree => ({
  gitDir,
  dir,
  baseIndex: join(tracking, 'base-index'),
});

/**
 * Checks out `startCommit` on the task's branch. Changes are compared with `baseCommit`: the same commit, or an earlier one if the task
 * continues earlier work.
 */
export async function createWorktree(
  places: WorktreePlaces,
  task: Omit<WorktreeRecord, 'gitDir' | 'dir'>,
  startCommit: string,
  { signal, onCheckout }: { signal?: AbortSignal; onCheckout?: () => void } = {},
): Promise<Outcome<WorktreeRecord>> {
  const { cache, dir, tracking } = places;
  await removeWorktree(places, undefined);
  const args = ['update-ref', '--no-deref', `refs/heads/${task.branch}`, startCommit];
  const making = Promise.all([
    addWorktree(cache, dir, { commit: startCommit, branch: task.branch }, signal),
    runGit({ gitDir: cache, args, signal }),
  ]);
  onCheckout?.();
  const [made, branch] = await making;
  if (!made.ok) return made;
  const record = { ...task, ...made.value };
  if (!branch.ok) {
    await removeFolder(record.gitDir);
    return branch;
  }
  await mkdir(tracking, { recursive: true });
  const tree = workTreeOf(record, places);
  if (startCommit === task.baseCommit) await copyIndex(join(record.gitDir, 'index'), tree.baseIndex);
  else {
    const read = await runGit(callOf(tree, ['read-tree', task.baseCommit], { signal }));
    if (!read.ok) return read;
    const added = await addedPaths(record.gitDir, task.baseCommit, startCommit);
    if (!added.ok) return added;
    await recordPaths(tree, added.value);
  }
  const settled = await settleLineEnds(tree, { start: startCommit, base: task.baseCommit });
  if (!settled.ok) return settled;
  await writeWhole(join(tracking, RECORD), JSON.stringify(record));
  return success(record);
}

/** Lists the files that earlier work added: they are part of the work even if the repository ignores them. */
async function addedPaths(gitDir: string, base: string, start: string): Promise<Outcome<Buffer[]>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', '--name-only', base, start];
  const listed = await runGit({ gitDir, args });
  return listed.ok ? success(splitNul(listed.value)) : listed;
}

/** Removes a worktree, complete or not, and the named branch. Rejects only for errors of the file system. */
export async function removeWorktree(places: WorktreePlaces, branch: string | undefined): Promise<void> {
  const { dir, cache, tracking } = places;
  const gitDir = (await readRecord(places))?.gitDir;
  await removeCheckTree(cache, checksFolders(places));
  await Promise.all([removeFolder(tracking), removeFolder(dir)]);
  if (gitDir !== undefined && dirname(gitDir) === join(cache, 'worktrees')) await removeFolder(gitDir);
  if (branch !== undefined)
    await runGit({ gitDir: cache, args: ['update-ref', '-d', `refs/heads/${branch}`] });
}

export interface WorktreeOptions {
  places: WorktreePlaces;
  record: WorktreeRecord;
  source: WorktreeSource;
  /** Facts about the workspace from its preparation. */
  facts: Pick<PreparedWorkspace, 'sourceDirty'> & Partial<PreparedWorkspace>;
  notHere: CheckoutDifferences;
  /** See `PrepareOptions`. */
  protection?: (path: string) => string | undefined;
  push: 'never' | 'branch';
  /** See `PrepareOptions`. */
  warmTrees: number;
  clock: Clock;
  logger?: Logger;
}

/** Opens the workspace of an existing worktree. */
export function openWorktree(options: WorktreeOptions): PreparedWorkspace {
  const { places, record, source, facts, protection, logger } = options;
  const [checksTree, checksFolder] = checksFolders(places);
  const place = workTreeOf(record, places);
  const written = new WrittenPaths(place, { isPersistent: true });
  const tree = { ...place, written };
  const folder = trackFolder(tree, logger, { ...options.notHere, protection });
  const sourcePath = source.kind === 'local' ? source.workTree : undefined;
  const isOfRepository = source.kind !== 'none';
  /** The publication of the last commit. */
  let published: Publication | undefined | 'not yet' = 'not yet';
  /** The head of the branch. Only this workspace moves it. */
  let head: string | undefined;
  const headOf = async (): Promise<string> => {
    const found =
      head === undefined ? await idOf(places.cache, `refs/heads/${record.branch}^{commit}`) : undefined;
    return (head ??= found?.ok ? found.value : record.baseCommit);
  };

  const checks = checkOutInto({
    tree,
    cache: places.cache,
    dir: checksTree,
    folder: checksFolder,
    sourcePath,
    base: () => Promise.resolve(success(record.baseCommit)),
    head: async () => success(await headOf()),
    present: folder.port.treeId,
    commit: (treeId, parent = record.baseCommit) =>
      makeCommit(places.cache, treeId, parent, 'Work to be checked', options.clock),
  });

  const commit = async (message: string): Promise<Changes> => {
    published = 'not yet';
    await ensureGitDir(places.cache, { format: formatOf(record.baseCommit) });
    const snapshot = unwrapOutcome(await folder.snapshot());
    head = unwrapOutcome(await commitTree(options, await headOf(), snapshot.treeId, message));
    await copyIndex(snapshot.indexFile, join(tree.gitDir, 'index.next'));
    await rename(join(tree.gitDir, 'index.next'), join(tree.gitDir, 'index'));
    const difference = unwrapOutcome(await folder.describe(record.baseCommit, head, snapshot.leftOut));
    if (!isOfRepository) return difference;
    return { base_commit: record.baseCommit, head_commit: head, branch: record.branch, ...difference };
  };
  const publish = async (): Promise<Outcome<Publication | undefined>> => {
    if (published !== 'not yet') return success(published);
    const work = { ...record, cache: places.cache, commit: await headOf() };
    const isWork = source.kind !== 'none' && work.commit !== record.baseCommit;
    const outcome = isWork ? await publishWork(work, source, options.push) : success(undefined);
    if (outcome.ok) published = outcome.value;
    return outcome;
  };
  const release = async ({ keepBranch }: { keepBranch: boolean }): Promise<void> => {
    if (keepBranch) {
      const outcome = await publish();
      if (!outcome.ok)
        logger?.warn(
          { code: outcome.failure.code },
          `The branch stays in the cache: ${outcome.failure.message}`,
        );
    }
    await retainTrees(options, checks);
    await removeWorktree(places, keepBranch || !isOfRepository ? undefined : record.branch);
    // Only this task has its cache.
    if (!isOfRepository && !keepBranch) await removeFolder(places.cache);
  };
  return {
    ...facts,
    dir: places.dir,
    branch: isOfRepository ? record.branch : undefined,
    baseCommit: isOfRepository ? record.baseCommit : undefined,
    gitDirs: isOfRepository ? [places.cache] : [],
    sourcePath,
    onWrite: (path) => written.record(path),
    ...folder.port,
    commit,
    publish,
    base: createBaseTree(tree),
    checkOut: checks.checkOut,
    committedTree: async () => {
      const id = await treeOf(places.cache, await headOf());
      return id.ok ? id.value : undefined;
    },
    release,
  };
}

/**
 * Retains both trees for the next task of the repository. git does not clean the files of submodules, so trees with submodules are not
 * retained.
 */
async function retainTrees(
  { places, record, notHere, warmTrees }: WorktreeOptions,
  checks: ReturnType<typeof checkOutInto>,
): Promise<void> {
  const max = (notHere.submodules ?? []).length > 0 ? 0 : warmTrees;
  // Without the record, the worktree counts as incomplete.
  await removeFolder(join(places.tracking, RECORD));
  const index = workTreeOf(record, places).baseIndex;
  if (!(await retainTree(record, { commit: record.baseCommit, index, max })))
    await removeFolder(record.gitDir);
  await checks.close(max);
}

/** Commits a tree on the task's branch, on top of `tip`, unless `tip` has that tree already. Returns the branch's head. */
async function commitTree(
  { record, places, clock }: WorktreeOptions,
  tip: string,
  treeId: string,
  message: string,
): Promise<Outcome<string>> {
  const tipTree = await treeOf(places.cache, tip);
  if (!tipTree.ok) return tipTree;
  if (tipTree.value === treeId) return success(tip);
  const made = await makeCommit(places.cache, treeId, tip, message, clock);
  if (!made.ok) return made;
  const args = ['update-ref', '--no-deref', `refs/heads/${record.branch}`, made.value];
  const moved = await runGit({ gitDir: places.cache, args });
  return moved.ok ? made : moved;
}
