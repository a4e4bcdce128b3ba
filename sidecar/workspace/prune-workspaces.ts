/**
 * Removes data of ended tasks: after a start, data that a killed worker left behind; later, old data. Never removes workspaces of
 * `activeTasks`, or branches that are younger than the retention time of partial results.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/system/clock.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { DAMAGED_INFIX } from './damaged-cache.ts';
import { withFileLock } from './file-lock.ts';
import { runGit, runGitText } from './git.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { errorMessage } from '../base/values/errors.ts';
import {
  checksDirOf,
  taskNameOfFolder,
  taskBranchOf,
  toTaskName,
  TRACKING_FOLDER_NAME,
} from './task-names.ts';
import { pruneWarmTrees, WARM_FOLDER_NAME } from './warm-trees.ts';
import { type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './catch-file-errors.ts';

const LOCK_TIMEOUT_MS = 5_000;
const GC_TIMEOUT_MS = 600_000;
/** Number of loose objects from which a cache is packed; the same as git's own default. */
const MAX_LOOSE_OBJECTS = 6_700;
/**
 * Size of loose objects from which a cache is packed. A few large files of removed tasks can fill a disk long before their number reaches
 * git's threshold.
 */
const MAX_LOOSE_KIB = 256 * 1024;

/** Age from which an unfinished pack counts as cut off. */
const MAX_UNFINISHED_MS = 24 * 3_600_000;
/** Maximum time for which a tree that no task uses is retained. */
const MAX_WARM_MS = 24 * 3_600_000;

export interface PruneOptions {
  cacheDir: string;
  /** Folder of this worker's workspaces. Those without an active task are removed. */
  worktreesDir: string;
  /** Ids of tasks that run, wait or will be resumed. */
  activeTasks: ReadonlySet<string>;
  /** Age at which branches and unused caches are removed (`workspace.keepPartialDays`). */
  maxAgeMs: number;
  clock?: Clock;
  logger?: Logger;
}

/** Names of removed workspaces, branches and caches. */
export interface PruneReport {
  workspaces: string[];
  branches: string[];
  caches: string[];
}

export function pruneWorkspaces(options: PruneOptions): Promise<Outcome<PruneReport>> {
  return catchFileErrors(async () => {
    const report: PruneReport = { workspaces: [], branches: [], caches: [] };
    report.workspaces.push(...(await pruneFolders(options)));
    await pruneWarmTrees(options.worktreesDir, (path) => isOld(path, { ...options, maxAgeMs: MAX_WARM_MS }));
    for (const name of await listNames(options.cacheDir)) {
      const path = join(options.cacheDir, name);
      if (name.endsWith('.git')) await pruneCache(path, options, report);
      else if (name.includes(DAMAGED_INFIX) && (await isOld(path, options)))
        await removeFolders([path], options);
    }
    await prunePrepared(join(options.cacheDir, 'prepared'), options);
    options.logger?.debug({ ...report }, 'Old workspaces were removed');
    return success(report);
  });
}

async function pruneFolders(options: PruneOptions): Promise<string[]> {
  const { worktreesDir } = options;
  const active = new Set([...options.activeTasks].map(toTaskName));
  const removed: string[] = [];
  const all = [
    ...(await listNames(worktreesDir)),
    ...(await listNames(join(worktreesDir, TRACKING_FOLDER_NAME))),
  ];
  for (const name of new Set(all.map(taskNameOfFolder))) {
    const folder = join(worktreesDir, name);
    if (name === TRACKING_FOLDER_NAME || name === WARM_FOLDER_NAME || active.has(name)) continue;
    const tracking = join(worktreesDir, TRACKING_FOLDER_NAME, name);
    if (await removeFolders([folder, checksDirOf(folder), tracking], options)) removed.push(name);
  }
  return removed;
}

/** Removes prepared dependencies (`prepare-commands.ts`) that no task has used for longer than the limit. */
async function prunePrepared(folder: string, options: PruneOptions): Promise<void> {
  for (const name of await listNames(folder)) {
    if (await isOld(join(folder, name), options)) await removeFolders([join(folder, name)], options);
  }
}

/** Removes the folders. Returns whether all of them were removed. After a failure, the other folders are still removed. */
async function removeFolders(folders: readonly string[], { logger }: PruneOptions): Promise<boolean> {
  const removals = await Promise.allSettled(folders.map(removeFolder));
  const reasons = removals.flatMap((removal) =>
    removal.status === 'rejected' ? [errorMessage(removal.reason)] : [],
  );
  if (reasons.length > 0) logger?.warn({ folders, reasons }, 'An old folder could not be removed');
  return reasons.length === 0;
}

async function pruneCache(cache: string, options: PruneOptions, report: PruneReport): Promise<void> {
  const { clock = systemClock, logger } = options;
  const outcome = await withFileLock(`${cache}.lock`, { clock, timeoutMs: LOCK_TIMEOUT_MS }, async () => {
    const usedBranches = await listBranchesInUse(cache);
    for (const taskId of options.activeTasks) usedBranches.add(taskBranchOf(taskId));
    const refs = await pruneRefs(cache, usedBranches, options);
    report.branches.push(...refs.removed);
    if (refs.remainingCount === 0) {
      if (await removeFolders([cache], options)) report.caches.push(cache);
    } else {
      await removeUnfinishedPacks(cache, options);
      await collectGarbage(cache);
    }
    return success(true);
  });
  if (!outcome.ok)
    logger?.warn({ code: outcome.failure.code }, `${cache} was not pruned: ${outcome.failure.message}`);
}

/** Removes registrations of worktrees (of any worker) whose folder is missing. Returns the branches of the remaining worktrees. */
async function listBranchesInUse(cache: string): Promise<Set<string>> {
  const branches = new Set<string>();
  const listed = await runGitText({ gitDir: cache, args: ['worktree', 'list', '--porcelain'] });
  for (const entry of listed.ok ? listed.value.split('\n\n') : []) {
    const dir = /^worktree (.+)$/m.exec(entry)?.[1];
    const branch = /^branch refs\/heads\/(.+)$/m.exec(entry)?.[1];
    if (dir === undefined || dir === cache) continue;
    if ((await readModifiedMs(dir)) !== undefined) {
      if (branch !== undefined) branches.add(branch);
    } else await runGit({ gitDir: cache, args: ['worktree', 'remove', '--force', '--force', dir] });
  }
  return branches;
}

/** Refs of tasks and of their bases. Refs of the source are not listed, since they follow the source. */
const OWN_REFS = ['refs/heads/sidecar/', 'refs/sidecar/'];

async function pruneRefs(
  cache: string,
  usedBranches: ReadonlySet<string>,
  options: PruneOptions,
): Promise<{ removed: string[]; remainingCount: number }> {
  const args = ['for-each-ref', '--format=%(refname)', ...OWN_REFS];
  const listed = await runGitText({ gitDir: cache, args });
  const removed: string[] = [];
  if (!listed.ok) return { removed, remainingCount: Infinity };
  const refs = listed.value.split('\n').filter(Boolean);
  let remainingCount = refs.length;
  for (const ref of refs) {
    const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
    // Branches with a worktree are excluded. A base may lose its own ref, since the task's branch reaches it.
    if (branch !== undefined && usedBranches.has(branch)) continue;
    if (!(await isOld(join(cache, ref), options))) continue;
    const deleted = await runGit({ gitDir: cache, args: ['update-ref', '-d', ref] });
    if (deleted.ok) remainingCount -= 1;
    if (deleted.ok && branch !== undefined) removed.push(branch);
  }
  return { removed, remainingCount };
}

/** Removes packs of fetches that were cut off long ago; git removes them only if the cache is packed. */
async function removeUnfinishedPacks(cache: string, options: PruneOptions): Promise<void> {
  const folder = join(cache, 'objects/pack');
  for (const name of await listNames(folder)) {
    const path = join(folder, name);
    if (name.startsWith('tmp_') && (await isOld(path, { ...options, maxAgeMs: MAX_UNFINISHED_MS })))
      await rm(path, { force: true });
  }
}

/** Packs a cache that many small tasks have filled. Refs stay files, since pruning uses their times. */
async function collectGarbage(cache: string): Promise<void> {
  const counted = await runGitText({ gitDir: cache, args: ['count-objects'] });
  if (!counted.ok) return;
  const [, objects, kib] = /^(\d+) objects, (\d+) kilobytes$/.exec(counted.value) ?? [];
  if (Number(objects) < MAX_LOOSE_OBJECTS && Number(kib) < MAX_LOOSE_KIB) return;
  // No running task is this old, so only objects of removed tasks are removed.
  const config = {
    'gc.packRefs': 'false',
    'gc.worktreePruneExpire': 'never',
    'gc.pruneExpire': '2.days.ago',
  };
  await runGit({ gitDir: cache, args: ['gc', '--quiet'], config, timeoutMs: GC_TIMEOUT_MS });
  await rm(join(cache, 'gc.pid'), { force: true });
}

async function isOld(path: string, { maxAgeMs, clock = systemClock }: PruneOptions): Promise<boolean> {
  const timeMs = await readModifiedMs(path);
  return timeMs === undefined || clock.now() - timeMs > maxAgeMs;
}

/** Returns the time of a file or folder; undefined if there is none. */
const readModifiedMs = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Returns the names in a folder; none if it does not exist yet. */
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
