/**
 * Cleans up after tasks: at the start, what a killed worker left; later, old data. Workspaces of `activeTasks`, and branches younger than
 * the retention of partial results, are never removed.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/system/clock.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { SET_ASIDE } from './damaged-cache.ts';
import { withFileLock } from './file-lock.ts';
import { runGit, runGitText } from './git.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import { errorMessage } from '../base/values/errors.ts';
import { checksDir, ownerOf, taskBranch, taskName, TRACKING } from './task-names.ts';
import { pruneWarm, WARM } from './warm-trees.ts';
import { type Outcome, success } from '../base/values/outcome.ts';
import { catchFileErrors } from './with-files.ts';

const LOCK_TIMEOUT_MS = 5_000;
const GC_TIMEOUT_MS = 600_000;
/** git's own threshold for packing loose objects. */
const MAX_LOOSE_OBJECTS = 6_700;
/** A few large files of removed tasks fill a disk long before git's own threshold. */
const MAX_LOOSE_KIB = 256 * 1024;

/** Maximum time for which a tree that no task uses is retained. */
const MAX_WARM_MS = 24 * 3_600_000;

export interface PruneOptions {
  cacheDir: string;
  /** Folders of this worker. Those without an active task are removed. */
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
    const pruned: PruneReport = { workspaces: [], branches: [], caches: [] };
    pruned.workspaces.push(...(await pruneFolders(options)));
    await pruneWarm(options.worktreesDir, (path) => isOld(path, { ...options, maxAgeMs: MAX_WARM_MS }));
    for (const name of await listNames(options.cacheDir)) {
      const path = join(options.cacheDir, name);
      if (name.endsWith('.git')) await pruneCache(path, options, pruned);
      else if (name.includes(SET_ASIDE) && (await isOld(path, options))) await removeAll([path], options);
    }
    await prunePrepared(join(options.cacheDir, 'prepared'), options);
    options.logger?.debug({ ...pruned }, 'Old workspaces were removed');
    return success(pruned);
  });
}

async function pruneFolders(options: PruneOptions): Promise<string[]> {
  const { worktreesDir } = options;
  const active = new Set([...options.activeTasks].map(taskName));
  const removed: string[] = [];
  const all = [...(await listNames(worktreesDir)), ...(await listNames(join(worktreesDir, TRACKING)))];
  for (const name of new Set(all.map(ownerOf))) {
    const dir = join(worktreesDir, name);
    if (name === TRACKING || name === WARM || active.has(name)) continue;
    const tracking = join(worktreesDir, TRACKING, name);
    if (await removeAll([dir, checksDir(dir), tracking], options)) removed.push(name);
  }
  return removed;
}

/** Removes prepared dependencies (`prepare-commands.ts`) that no task has used for longer than the limit. */
async function prunePrepared(folder: string, options: PruneOptions): Promise<void> {
  for (const name of await listNames(folder)) {
    if (await isOld(join(folder, name), options)) await removeAll([join(folder, name)], options);
  }
}

/** Removes all folders. Returns whether all were removed. If one cannot be removed, the others still are. */
async function removeAll(folders: readonly string[], { logger }: PruneOptions): Promise<boolean> {
  const ended = await Promise.allSettled(folders.map(removeFolder));
  const reasons = ended.flatMap((one) => (one.status === 'rejected' ? [errorMessage(one.reason)] : []));
  if (reasons.length > 0) logger?.warn({ folders, reasons }, 'An old folder could not be removed');
  return reasons.length === 0;
}

async function pruneCache(cache: string, options: PruneOptions, pruned: PruneReport): Promise<void> {
  const { clock = systemClock, logger } = options;
  const outcome = await withFileLock(`${cache}.lock`, { clock, timeoutMs: LOCK_TIMEOUT_MS }, async () => {
    const inUse = await branchesInUse(cache);
    for (const taskId of options.activeTasks) inUse.add(taskBranch(taskId));
    const refs = await pruneRefs(cache, inUse, options);
    pruned.branches.push(...refs.removed);
    if (refs.left === 0) {
      if (await removeAll([cache], options)) pruned.caches.push(cache);
    } else await collectGarbage(cache);
    return success(true);
  });
  if (!outcome.ok)
    logger?.warn({ code: outcome.failure.code }, `${cache} was not pruned: ${outcome.failure.message}`);
}

/** Removes the registration of worktrees (of any worker) whose folder is gone; returns the branches of the others. */
async function branchesInUse(cache: string): Promise<Set<string>> {
  const branches = new Set<string>();
  const listed = await runGitText({ gitDir: cache, args: ['worktree', 'list', '--porcelain'] });
  for (const entry of listed.ok ? listed.value.split('\n\n') : []) {
    const dir = /^worktree (.+)$/m.exec(entry)?.[1];
    const branch = /^branch refs\/heads\/(.+)$/m.exec(entry)?.[1];
    if (dir === undefined || dir === cache) continue;
    if ((await modifiedMs(dir)) !== undefined) {
      if (branch !== undefined) branches.add(branch);
    } else await runGit({ gitDir: cache, args: ['worktree', 'remove', '--force', '--force', dir] });
  }
  return branches;
}

/** Refs of tasks and of their bases. Refs of the source are not listed, since they follow the source. */
const OWN_REFS = ['refs/heads/sidecar/', 'refs/sidecar/'];

async function pruneRefs(
  cache: string,
  inUse: ReadonlySet<string>,
  options: PruneOptions,
): Promise<{ removed: string[]; left: number }> {
  const args = ['for-each-ref', '--format=%(refname)', ...OWN_REFS];
  const listed = await runGitText({ gitDir: cache, args });
  const removed: string[] = [];
  if (!listed.ok) return { removed, left: Infinity };
  const refs = listed.value.split('\n').filter(Boolean);
  let left = refs.length;
  for (const ref of refs) {
    const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
    // The branch of a task still reaches its base.
    if (branch !== undefined && inUse.has(branch)) continue;
    if (!(await isOld(join(cache, ref), options))) continue;
    const deleted = await runGit({ gitDir: cache, args: ['update-ref', '-d', ref] });
    if (deleted.ok) left -= 1;
    if (deleted.ok && branch !== undefined) removed.push(branch);
  }
  return { removed, left };
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
  const timeMs = await modifiedMs(path);
  return timeMs === undefined || clock.now() - timeMs > maxAgeMs;
}

/** Returns the time of a file or folder; undefined if there is none. */
const modifiedMs = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Returns the names in a folder; none if it does not exist yet. */
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
