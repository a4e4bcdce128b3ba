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
import { isCommitOfWorker } from './commit-object.ts';
import { repairDamagedCache } from './damaged-cache.ts';
import { withFileLock } from './file-lock.ts';
import { carriedPatch, commitPatch, firstBase } from './follow-up-patch.ts';
import { isPartial } from './copy-source.ts';
import { ensureGitDir, formatOf } from './private-git-dir.ts';
import { removeCheckTree } from './check-tree.ts';
import { cacheGitDir, fetchBase, fullId, makeEmptyBase, type StartingPoint } from './repository-cache.ts';
import { findForbiddenPart } from './allowed-sources.ts';
import { resolveSource } from './repository-source.ts';
import type { WorktreeSource } from './repository-source.ts';
import { checkOwner, hasUncommittedEdits } from './source-checks.ts';
import { findCheckoutDifferences } from './not-in-worktree.ts';
import { isTaskBranch, taskBranch, taskName } from './task-names.ts';
import { ensureSubfolder, namedSubfolder } from './subfolder.ts';
import type { PreparedWorkspace } from './task-workspace.ts';
import { removeHalfDone } from './work-tree.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './with-files.ts';
import {
  checksFolders,
  createWorktree,
  openWorktree,
  readRecord,
  removeWorktree,
  workTreeOf,
  worktreePlaces,
} from './worktree.ts';
import type { WorktreePlaces, WorktreeRecord } from './worktree.ts';

/** Longer than the longest possible fetch of another worker. */
const LOCK_TIMEOUT_MS = 660_000;

/** The parts of a task that decide its workspace. */
export type WorkspaceTask = Pick<Task, 'task_id'> &
  Partial<Pick<Task, 'repo' | 'branch' | 'base_ref' | 'subfolder' | 'metadata'>>;

export interface PrepareOptions {
  task: WorkspaceTask;
  /** Bare caches, shared by all workers of this machine. */
  cacheDir: string;
  /** Worktrees of this worker. */
  worktreesDir: string;
  /** Globs of allowed repositories; empty or missing: all (`workspace.allowedRepos`). */
  allowedRepos?: readonly string[];
  /** Minimum of free bytes on the disk; with less, no workspace is prepared. */
  minFreeDiskBytes?: number;
  push?: 'never' | 'branch';
  /** Maximum number of trees of a repository that are retained for later tasks; default: none. */
  warmTrees?: number;
  /** Returns the pattern that protects a path, or undefined. In every commit, protected paths are as in the base. */
  protection?: (path: string) => string | undefined;
  /** Whether to discard the workspace of an earlier run of the same task. */
  fresh?: boolean;
  /** Called when git has started the checkout. This process is idle until it is finished. */
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
    const room = await checkDisk(worktreesDir, options.minFreeDiskBytes ?? 0);
    if (!room.ok) return room;
    const { repo, task_id: taskId } = options.task;
    const folders = { ...options, cacheDir, worktreesDir };
    if (repo === undefined)
      return prepareWorktree(folders, { kind: 'none', identity: join(worktreesDir, taskName(taskId)) });
    const source = await resolveSource(repo);
    if (!source.ok) return source;
    const refused = await findForbiddenPart(source.value, options.allowedRepos ?? []);
    if (refused !== undefined) {
      return failure(
        'workspace_repo_not_allowed',
        `This worker is not allowed to use ${refused}. Its operator allows repositories with workspace.allowedRepos`,
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
  const cache = cacheGitDir(options.cacheDir, source);
  const places = worktreePlaces(cache, options.worktreesDir, task.task_id);
  const readable = source.kind === 'local' ? await checkOwner(source, signal) : success(true);
  if (!readable.ok) return readable;
  const isOfRepository = source.kind !== 'none';
  const subfolder = isOfRepository ? namedSubfolder(task, source) : success('');
  if (!subfolder.ok) return subfolder;
  const sourceDirty = isOfRepository ? hasUncommittedEdits(source, signal) : Promise.resolve(false);
  const earlier = options.fresh === true ? undefined : await readRecord(places);
  const adopted = earlier?.dir === places.dir && earlier.taskId === task.task_id;
  const warnings: string[] = [];
  const make = async (): Promise<Outcome<WorktreeRecord>> => {
    const work = () => catchFileErrors(() => makeWorktree(options, source, places, clock));
    const { outcome, warning } = await repairDamagedCache(cache, clock, work, signal);
    if (warning !== undefined) warnings.push(warning);
    return outcome;
  };
  const record = adopted
    ? await takeOver(earlier, places, signal)
    : await withFileLock(`${cache}.lock`, { clock, timeoutMs: LOCK_TIMEOUT_MS, signal }, make);
  if (!record.ok) return record;
  const isNamedByPath = (task.subfolder ?? task.metadata?.subfolder) === undefined;
  const folder = await ensureSubfolder(places.dir, subfolder.value, isNamedByPath);
  if (!folder.ok) {
    await removeWorktree(places, record.value.branch);
    return folder;
  }
  const notHere = await findCheckoutDifferences(record.value, { signal, logger });
  const beganFromTask = isOfRepository && (await isWorkOfTask(task, places.cache));
  const wasNamed = startOf(task).baseRef !== undefined || !isOfRepository ? false : undefined;
  const hasEarlierWork = beganFromTask || carriedPatch(task.metadata) !== undefined || wasNamed;
  for (const warning of warnings) logger?.warn({}, warning);
  const { notes } = notHere;
  const place = subfolder.value === '' ? {} : { subfolder: subfolder.value };
  const facts = { repo: task.repo, beganFromTask, hasEarlierWork, sourceDirty, notes, warnings, ...place };
  const { push = 'never', protection } = options;
  const warmTrees = isOfRepository ? options.warmTrees : 0;
  const found = { places, record: record.value, source, facts, notHere };
  return success(openWorktree({ ...found, push, warmTrees: warmTrees ?? 0, protection, clock, logger }));
}

/** Returns the starting point of a task. A hub that drops `base_ref` still sends the metadata, in which a follow-up names it, too. */
function startOf({ branch, base_ref, metadata }: WorkspaceTask): StartingPoint {
  const named = metadata?.follow_up_from;
  return { branch, baseRef: base_ref ?? (typeof named === 'string' ? named : undefined) };
}

/** Returns whether a task begins from another task's work: by its branch, or by a commit that a worker made. */
async function isWorkOfTask(task: WorkspaceTask, cache: string): Promise<boolean> {
  const { baseRef, branch } = startOf(task);
  const name = baseRef ?? branch;
  if (name === undefined) return false;
  return isTaskBranch(name) || (fullId.test(name) && (await isCommitOfWorker(cache, name)));
}

async function takeOver(
  record: WorktreeRecord,
  places: WorktreePlaces,
  signal?: AbortSignal,
): Promise<Outcome<WorktreeRecord>> {
  await ensureGitDir(places.cache, { format: formatOf(record.baseCommit) });
  await removeCheckTree(places.cache, checksFolders(places));
  const tidied = await removeHalfDone(workTreeOf(record, places), signal);
  return tidied.ok ? success(record) : tidied;
}

async function makeWorktree(
  options: PrepareOptions,
  source: WorktreeSource,
  places: WorktreePlaces,
  clock: Clock,
): Promise<Outcome<WorktreeRecord>> {
  const { task, signal, logger } = options;
  const base =
    source.kind === 'none'
      ? await makeEmptyBase(places.cache, clock)
      : await fetchBase(places.cache, source, startOf(task), { signal, logger });
  if (!base.ok) return base;
  const first = await firstBase(places.cache, base.value, task.metadata, signal);
  if (!first.ok) return first;
  const patch = carriedPatch(task.metadata);
  const startCommit =
    patch === undefined ? base : await commitPatch(places.cache, base.value, patch, clock, signal);
  if (!startCommit.ok) return startCommit;
  const record = {
    taskId: task.task_id,
    branch: taskBranch(task.task_id),
    baseCommit: first.value,
  };
  const created = await createWorktree(places, record, startCommit.value, options);
  // A `.git` file would prevent `git init` in the folder of a task without a repository.
  if (created.ok && source.kind === 'none') await removeFolder(join(places.dir, '.git'));
  if (created.ok) return created;
  // A task that was cancelled in the meantime leaves nothing behind.
  await removeWorktree(places, record.branch);
  if (created.failure.code === 'git_failed' && source.kind === 'local' && (await isPartial(source))) {
    return failure(
      'workspace_repo_incomplete',
      `${source.path} is a partial clone and lacks files of ${base.value}. Check out that commit there once, or name its remote`,
    );
  }
  return created;
}
