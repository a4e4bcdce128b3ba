/**
 * Prepares the workspace of a task: a worktree on `sidecar/<task id>` from a shared bare cache. A task without a repository has a worktree
 * of an empty one. Failures are returned, with a message that names the remedy.
 */
import { join, resolve } from 'node:path';
import { systemClock } from '../base/system/clock.ts';
import { measureFreeDisk, formatMebibytes } from '../base/system/free-disk.ts';
import { makeFolder } from '../base/system/make-folder.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { isWorkerCommit } from './commit-object.ts';
import { repairDamagedCache } from './damaged-cache.ts';
import { withFileLock } from './file-lock.ts';
import { readFollowUpPatch, commitPatch, resolveFirstBase } from './follow-up-patch.ts';
import { isPartialClone } from './copy-source.ts';
import { ensureGitDir, objectFormatOf } from './private-git-dir.ts';
import { removeCheckTree } from './check-tree.ts';
import {
  cacheGitDirOf,
  fetchBase,
  FULL_COMMIT_ID,
  makeEmptyBase,
  type StartingPoint,
} from './repository-cache.ts';
import { findForbiddenPart } from './allowed-sources.ts';
import { resolveSource } from './repository-source.ts';
import type { WorktreeSource } from './repository-source.ts';
import { checkOwner, hasUncommittedEdits } from './source-checks.ts';
import { findCheckoutDifferences } from './checkout-differences.ts';
import { isTaskBranch, taskBranchOf, toTaskName } from './task-names.ts';
import { ensureSubfolder, resolveSubfolder } from './subfolder.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { removeTemporaryFiles } from './work-tree.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './catch-file-errors.ts';
import {
  checksFoldersOf,
  createWorktree,
  openWorktree,
  readWorktreeRecord,
  removeWorktree,
  toWorkTree,
  worktreePathsOf,
} from './worktree.ts';
import type { WorktreePaths, WorktreeRecord } from './worktree.ts';

/** Maximum wait for the lock of a repository cache, longer than the longest possible fetch of another worker. */
const LOCK_TIMEOUT_MS = 660_000;

/** Fields of a task that determine its workspace. */
export type WorkspaceTask = Pick<Task, 'task_id'> &
  Partial<Pick<Task, 'repo' | 'branch' | 'base_ref' | 'subfolder' | 'metadata'>>;

export interface PrepareOptions {
  task: WorkspaceTask;
  /** Folder of the bare caches, which all workers of this machine share. */
  cacheDir: string;
  /** Folder of this worker's worktrees. */
  worktreesDir: string;
  /** Globs of allowed repositories; empty or missing: all (`workspace.allowedRepos`). */
  allowedRepos?: readonly string[];
  /** Minimum number of free bytes on the disk. If fewer are free, no workspace is prepared. */
  minFreeDiskBytes?: number;
  push?: 'never' | 'branch';
  /** Maximum number of trees of a repository that are retained for later tasks; default: none. */
  warmTrees?: number;
  /** Returns the pattern that protects a path, or undefined. Each commit contains protected paths as in the base. */
  protectionOf?: (path: string) => string | undefined;
  /** Whether to discard the workspace of an earlier run of the same task. */
  discardsEarlier?: boolean;
  /** Called when git has started the checkout. Until the checkout ends, this process is idle and can do other work. */
  onCheckout?: () => void;
  signal?: AbortSignal;
  logger?: Logger;
  clock?: Clock;
}

/**
 * Makes the workspace, or reuses that of an interrupted run of the same task. Failure codes: `workspace_repo_missing`,
 * `workspace_repo_unsupported`, `workspace_repo_not_allowed`, `workspace_repo_owner`, `workspace_repo_incomplete`,
 * `workspace_branch_missing`, `workspace_ref_missing`, `workspace_fetch_failed`, `workspace_patch_failed`, `workspace_disk_full`,
 * `workspace_lock_timeout`, `workspace_io_failed`, and git's own (`git.ts`).
 */
export function prepareWorkspace(options: PrepareOptions): Promise<Outcome<PreparedWorkspace>> {
  return catchFileErrors(async () => {
    const cacheDir = resolve(options.cacheDir);
    const worktreesDir = resolve(options.worktreesDir);
    for (const folder of [cacheDir, worktreesDir]) makeFolder(folder);
    const diskCheck = await checkDisk(worktreesDir, options.minFreeDiskBytes ?? 0);
    if (!diskCheck.ok) return diskCheck;
    const { repo, task_id: taskId } = options.task;
    const folders = { ...options, cacheDir, worktreesDir };
    if (repo === undefined)
      return prepareWorktree(folders, { kind: 'none', identity: join(worktreesDir, toTaskName(taskId)) });
    const source = await resolveSource(repo);
    if (!source.ok) return source;
    const forbiddenPart = await findForbiddenPart(source.value, options.allowedRepos ?? []);
    if (forbiddenPart !== undefined) {
      return failure(
        'workspace_repo_not_allowed',
        `This worker is not allowed to use ${forbiddenPart}. Its operator allows repositories with workspace.allowedRepos`,
      );
    }
    return prepareWorktree(folders, source.value);
  });
}

async function checkDisk(folder: string, minFreeBytes: number): Promise<Outcome<true>> {
  const freeBytes = await measureFreeDisk(folder);
  if (freeBytes >= minFreeBytes) return success(true);
  return failure(
    'workspace_disk_full',
    `${folder} has ${formatMebibytes(freeBytes)} free; worker.minFreeDiskBytes requires ${formatMebibytes(minFreeBytes)}. Free some disk space`,
    true,
  );
}

async function prepareWorktree(
  options: PrepareOptions,
  source: WorktreeSource,
): Promise<Outcome<PreparedWorkspace>> {
  const { task, signal, logger } = options;
  const clock = options.clock ?? systemClock;
  const cache = cacheGitDirOf(options.cacheDir, source);
  const paths = worktreePathsOf(cache, options.worktreesDir, task.task_id);
  const readable = source.kind === 'local' ? await checkOwner(source, signal) : success(true);
  if (!readable.ok) return readable;
  const isOfRepository = source.kind !== 'none';
  const subfolder = isOfRepository ? resolveSubfolder(task, source) : success('');
  if (!subfolder.ok) return subfolder;
  const sourceDirty = isOfRepository ? hasUncommittedEdits(source, signal) : Promise.resolve(false);
  const earlier = options.discardsEarlier === true ? undefined : await readWorktreeRecord(paths);
  const isAdopted = earlier?.dir === paths.dir && earlier.taskId === task.task_id;
  const warnings: string[] = [];
  const makeRecord = async (): Promise<Outcome<WorktreeRecord>> => {
    const work = () => catchFileErrors(() => fetchAndCreateWorktree(options, source, paths, clock));
    const { outcome, warning } = await repairDamagedCache(cache, clock, work, signal);
    if (warning !== undefined) warnings.push(warning);
    return outcome;
  };
  const record = isAdopted
    ? await adoptWorktree(earlier, paths, signal)
    : await withFileLock(`${cache}.lock`, { clock, timeoutMs: LOCK_TIMEOUT_MS, signal }, makeRecord);
  if (!record.ok) return record;
  const isNamedByPath = (task.subfolder ?? task.metadata?.subfolder) === undefined;
  const folder = await ensureSubfolder(paths.dir, subfolder.value, isNamedByPath);
  if (!folder.ok) {
    await removeWorktree(paths, record.value.branch);
    return folder;
  }
  const differences = await findCheckoutDifferences(record.value, { signal, logger });
  const beganFromTask = isOfRepository && (await isWorkOfTask(task, paths.cache));
  const wasNamed = startingPointOf(task).baseRef !== undefined || !isOfRepository ? false : undefined;
  const hasEarlierWork = beganFromTask || readFollowUpPatch(task.metadata) !== undefined || wasNamed;
  for (const warning of warnings) logger?.warn({}, warning);
  const { notes } = differences;
  const subfolderFact = subfolder.value === '' ? {} : { subfolder: subfolder.value };
  const facts = {
    repo: task.repo,
    beganFromTask,
    hasEarlierWork,
    sourceDirty,
    notes,
    warnings,
    ...subfolderFact,
  };
  const { push = 'never', protectionOf } = options;
  const warmTrees = isOfRepository ? options.warmTrees : 0;
  const worktree = { paths, record: record.value, source, facts, differences };
  return success(
    openWorktree({ ...worktree, push, warmTreeCount: warmTrees ?? 0, protectionOf, clock, logger }),
  );
}

/** Returns the starting point of a task. A follow-up also names its starting commit in the metadata, since some hubs drop `base_ref`. */
function startingPointOf({ branch, base_ref, metadata }: WorkspaceTask): StartingPoint {
  const followUpBase = metadata?.follow_up_from;
  return { branch, baseRef: base_ref ?? (typeof followUpBase === 'string' ? followUpBase : undefined) };
}

/** Returns whether a task begins with the work of another task: its branch is a task's branch, or a worker made its starting commit. */
async function isWorkOfTask(task: WorkspaceTask, cache: string): Promise<boolean> {
  const { baseRef, branch } = startingPointOf(task);
  const name = baseRef ?? branch;
  if (name === undefined) return false;
  return isTaskBranch(name) || (FULL_COMMIT_ID.test(name) && (await isWorkerCommit(cache, name)));
}

async function adoptWorktree(
  record: WorktreeRecord,
  paths: WorktreePaths,
  signal?: AbortSignal,
): Promise<Outcome<WorktreeRecord>> {
  await ensureGitDir(paths.cache, { format: objectFormatOf(record.baseCommit) });
  await removeCheckTree(paths.cache, checksFoldersOf(paths));
  const cleaned = await removeTemporaryFiles(toWorkTree(record, paths), signal);
  return cleaned.ok ? success(record) : cleaned;
}

async function fetchAndCreateWorktree(
  options: PrepareOptions,
  source: WorktreeSource,
  paths: WorktreePaths,
  clock: Clock,
): Promise<Outcome<WorktreeRecord>> {
  const { task, signal, logger } = options;
  const base =
    source.kind === 'none'
      ? await makeEmptyBase(paths.cache, clock)
      : await fetchBase(paths.cache, source, startingPointOf(task), { signal, logger });
  if (!base.ok) return base;
  const first = await resolveFirstBase(paths.cache, base.value, task.metadata, signal);
  if (!first.ok) return first;
  const patch = readFollowUpPatch(task.metadata);
  const startCommit =
    patch === undefined ? base : await commitPatch(paths.cache, base.value, patch, clock, signal);
  if (!startCommit.ok) return startCommit;
  const record = {
    taskId: task.task_id,
    branch: taskBranchOf(task.task_id),
    baseCommit: first.value,
  };
  const created = await createWorktree(paths, record, startCommit.value, options);
  // A `.git` file would prevent `git init` in the folder of a task without a repository.
  if (created.ok && source.kind === 'none') await removeFolder(join(paths.dir, '.git'));
  if (created.ok) return created;
  // If the task was cancelled in the meantime, its worktree and branch are removed.
  await removeWorktree(paths, record.branch);
  if (created.failure.code === 'git_failed' && source.kind === 'local' && (await isPartialClone(source))) {
    return failure(
      'workspace_repo_incomplete',
      `${source.path} is a partial clone and lacks files of ${base.value}. Check out that commit in the clone once, or submit the task with the URL of the remote repository`,
    );
  }
  return created;
}
