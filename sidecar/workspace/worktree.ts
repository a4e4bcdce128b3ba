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
import { createCheckTree, removeCheckTree } from './check-tree.ts';
import { makeCommit, resolveTree } from './commit-object.ts';
import { copyIndex, resolveId, runGit, splitNul } from './git.ts';
import type { CheckoutDifferences } from './checkout-differences.ts';
import { recordLineEndings } from './line-endings.ts';
import { ensureGitDir, objectFormatOf, writeFileAtomically } from './private-git-dir.ts';
import { publishWork } from './publish-work.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import type { WorktreeSource } from './repository-source.ts';
import { checksDirOf, toTaskName, trackingFolderOf } from './task-names.ts';
import type { PreparedWorkspace, Publication } from './task-workspace.ts';
import { trackFolder } from './tracked-folder.ts';
import { buildGitCall, type WorkTree } from './work-tree.ts';
import { addWorktree, retainTree } from './warm-trees.ts';
import { type Outcome, success, unwrapOutcome } from '../base/values/outcome.ts';
import { recordPaths, WrittenPaths } from './written-paths.ts';

const recordSchema = z.object({
  taskId: z.string(),
  dir: z.string(),
  /** Git dir of this worktree, in the cache; it contains HEAD and the index. */
  gitDir: z.string(),
  branch: z.string(),
  baseCommit: z.string(),
});
/** Record of a worktree, with which a restarted worker finds it. */
export type WorktreeRecord = z.output<typeof recordSchema>;

/** Paths of one worktree. */
export interface WorktreePaths {
  cache: string;
  dir: string;
  /** Folder of the worker's records of this worktree. */
  trackingFolder: string;
}

export const worktreePathsOf = (cache: string, worktreesDir: string, taskId: string): WorktreePaths => ({
  cache,
  dir: join(worktreesDir, toTaskName(taskId)),
  trackingFolder: trackingFolderOf(worktreesDir, taskId),
});

/** Reads the record of a complete worktree; undefined if there is none. */
export async function readWorktreeRecord({
  trackingFolder,
}: WorktreePaths): Promise<WorktreeRecord | undefined> {
  const text = await readFile(join(trackingFolder, RECORD_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : recordSchema.safeParse(parseJson(text)).data;
}
const RECORD_FILE = 'task.json';

/** Returns the folders for the task's checks: the check tree, and the folder of its caches. */
export const checksFoldersOf = ({ dir, trackingFolder }: WorktreePaths): [string, string] => [
  checksDirOf(dir),
  join(trackingFolder, 'checks'),
];

export const toWorkTree = ({ dir, gitDir }: WorktreeRecord, { trackingFolder }: WorktreePaths): WorkTree => ({
  gitDir,
  dir,
  baseIndex: join(trackingFolder, 'base-index'),
});

/**
 * Checks out `startCommit` on the task's branch. Changes are compared with `baseCommit`: the same commit, or an earlier one if the task
 * continues earlier work.
 */
export async function createWorktree(
  paths: WorktreePaths,
  task: Omit<WorktreeRecord, 'gitDir' | 'dir'>,
  startCommit: string,
  { signal, onCheckout }: { signal?: AbortSignal; onCheckout?: () => void } = {},
): Promise<Outcome<WorktreeRecord>> {
  const { cache, dir, trackingFolder } = paths;
  await removeWorktree(paths, undefined);
  const args = ['update-ref', '--no-deref', `refs/heads/${task.branch}`, startCommit];
  const creation = Promise.all([
    addWorktree(cache, dir, { commit: startCommit, branch: task.branch }, signal),
    runGit({ gitDir: cache, args, signal }),
  ]);
  onCheckout?.();
  const [registered, branch] = await creation;
  if (!registered.ok) return registered;
  const record = { ...task, ...registered.value };
  if (!branch.ok) {
    await removeFolder(record.gitDir);
    return branch;
  }
  await mkdir(trackingFolder, { recursive: true });
  const tree = toWorkTree(record, paths);
  if (startCommit === task.baseCommit) await copyIndex(join(record.gitDir, 'index'), tree.baseIndex);
  else {
    const read = await runGit(buildGitCall(tree, ['read-tree', task.baseCommit], { signal }));
    if (!read.ok) return read;
    const added = await listAddedPaths(record.gitDir, task.baseCommit, startCommit);
    if (!added.ok) return added;
    await recordPaths(tree, added.value);
  }
  const settled = await recordLineEndings(tree, { start: startCommit, base: task.baseCommit });
  if (!settled.ok) return settled;
  await writeFileAtomically(join(trackingFolder, RECORD_FILE), JSON.stringify(record));
  return success(record);
}

/** Lists the files that earlier work added. They are part of the work even if the repository ignores them. */
async function listAddedPaths(gitDir: string, base: string, start: string): Promise<Outcome<Buffer[]>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', '--name-only', base, start];
  const listed = await runGit({ gitDir, args });
  return listed.ok ? success(splitNul(listed.value)) : listed;
}

/** Removes a worktree, complete or not, and `branch`, if given. Rejects only for errors of the file system. */
export async function removeWorktree(paths: WorktreePaths, branch: string | undefined): Promise<void> {
  const { dir, cache, trackingFolder } = paths;
  const gitDir = (await readWorktreeRecord(paths))?.gitDir;
  await removeCheckTree(cache, checksFoldersOf(paths));
  await Promise.all([removeFolder(trackingFolder), removeFolder(dir)]);
  if (gitDir !== undefined && dirname(gitDir) === join(cache, 'worktrees')) await removeFolder(gitDir);
  if (branch !== undefined)
    await runGit({ gitDir: cache, args: ['update-ref', '-d', `refs/heads/${branch}`] });
}

export interface WorktreeOptions {
  paths: WorktreePaths;
  record: WorktreeRecord;
  source: WorktreeSource;
  /** Properties of the workspace that its preparation determined. */
  facts: Pick<PreparedWorkspace, 'sourceDirty'> & Partial<PreparedWorkspace>;
  differences: CheckoutDifferences;
  /** See `PrepareOptions`. */
  protectionOf?: (path: string) => string | undefined;
  push: 'never' | 'branch';
  /** See `PrepareOptions`. */
  warmTreeCount: number;
  clock: Clock;
  logger?: Logger;
}

/** Opens the workspace of an existing worktree. */
export function openWorktree(options: WorktreeOptions): PreparedWorkspace {
  const { paths, record, source, facts, protectionOf, logger } = options;
  const [checksTree, checksFolder] = checksFoldersOf(paths);
  const baseTree = toWorkTree(record, paths);
  const written = new WrittenPaths(baseTree, { isPersistent: true });
  const tree = { ...baseTree, writtenPaths: written };
  const folder = trackFolder(tree, logger, { ...options.differences, protectingPatternOf: protectionOf });
  const sourcePath = source.kind === 'local' ? source.workTree : undefined;
  const isOfRepository = source.kind !== 'none';
  /** Location at which the last commit is published; undefined if there was nothing to publish. */
  let published: Publication | undefined | 'not yet' = 'not yet';
  /** Cached commit of the task's branch, which only this workspace moves. */
  let head: string | undefined;
  const headOf = async (): Promise<string> => {
    const branchHead =
      head === undefined ? await resolveId(paths.cache, `refs/heads/${record.branch}^{commit}`) : undefined;
    return (head ??= branchHead?.ok ? branchHead.value : record.baseCommit);
  };

  const checks = createCheckTree({
    tree,
    cache: paths.cache,
    dir: checksTree,
    stateFolder: checksFolder,
    sourcePath,
    resolveBase: () => Promise.resolve(success(record.baseCommit)),
    resolveHead: async () => success(await headOf()),
    storePresentTree: folder.port.storePresentTree,
    commitTree: (treeId, parent = record.baseCommit) =>
      makeCommit(paths.cache, treeId, parent, 'Changes to be checked', options.clock),
  });

  const commit = async (message: string): Promise<Changes> => {
    published = 'not yet';
    await ensureGitDir(paths.cache, { format: objectFormatOf(record.baseCommit) });
    const snapshot = unwrapOutcome(await folder.snapshot());
    head = unwrapOutcome(await commitTree(options, await headOf(), snapshot.treeId, message));
    await copyIndex(snapshot.indexFile, join(tree.gitDir, 'index.next'));
    await rename(join(tree.gitDir, 'index.next'), join(tree.gitDir, 'index'));
    const difference = unwrapOutcome(await folder.describe(record.baseCommit, head, snapshot.omittedPaths));
    if (!isOfRepository) return difference;
    return { base_commit: record.baseCommit, head_commit: head, branch: record.branch, ...difference };
  };
  const publish = async (): Promise<Outcome<Publication | undefined>> => {
    if (published !== 'not yet') return success(published);
    const work = { ...record, cache: paths.cache, commit: await headOf() };
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
          `The branch was not published and remains only in the repository cache: ${outcome.failure.message}`,
        );
    }
    await retainTrees(options, checks);
    await removeWorktree(paths, keepBranch || !isOfRepository ? undefined : record.branch);
    // The cache of a task without a repository belongs to this task alone.
    if (!isOfRepository && !keepBranch) await removeFolder(paths.cache);
  };
  return {
    ...facts,
    dir: paths.dir,
    branch: isOfRepository ? record.branch : undefined,
    baseCommit: isOfRepository ? record.baseCommit : undefined,
    gitDirs: isOfRepository ? [paths.cache] : [],
    sourcePath,
    onWrite: (path) => written.record(path),
    ...folder.port,
    commit,
    publish,
    base: createBaseTree(tree),
    checkOut: checks.checkOut,
    release,
  };
}

/**
 * Retains the worktree and the check tree for the next task of the repository. git does not clean the files of submodules, so trees with
 * submodules are not retained.
 */
async function retainTrees(
  { paths, record, differences, warmTreeCount }: WorktreeOptions,
  checks: ReturnType<typeof createCheckTree>,
): Promise<void> {
  const max = (differences.submodules ?? []).length > 0 ? 0 : warmTreeCount;
  // Without the record, the worktree counts as incomplete.
  await removeFolder(join(paths.trackingFolder, RECORD_FILE));
  const index = toWorkTree(record, paths).baseIndex;
  if (!(await retainTree(record, { commit: record.baseCommit, index, max })))
    await removeFolder(record.gitDir);
  await checks.close(max);
}

/** Commits a tree on the task's branch, on top of `tipCommit`, unless that commit has the same tree. Returns the head of the branch. */
async function commitTree(
  { record, paths, clock }: WorktreeOptions,
  tipCommit: string,
  treeId: string,
  message: string,
): Promise<Outcome<string>> {
  const tipTree = await resolveTree(paths.cache, tipCommit);
  if (!tipTree.ok) return tipTree;
  if (tipTree.value === treeId) return success(tipCommit);
  const commit = await makeCommit(paths.cache, treeId, tipCommit, message, clock);
  if (!commit.ok) return commit;
  const args = ['update-ref', '--no-deref', `refs/heads/${record.branch}`, commit.value];
  const moved = await runGit({ gitDir: paths.cache, args });
  return moved.ok ? commit : moved;
}
