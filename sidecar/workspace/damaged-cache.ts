/**
 * Sets a damaged cache aside, for example after a power cut or on a full disk, so that a new one can be created. Otherwise all later tasks
 * of the repository would fail.
 */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Clock } from '../base/ports.ts';
import { runGit } from './git.ts';
import type { Outcome } from '../base/values/outcome.ts';

/** Codes of failures that a damaged cache may cause. */
const DAMAGE_CODES = new Set(['git_failed', 'workspace_fetch_failed', 'workspace_io_failed']);
const CHECK_TIMEOUT_MS = 300_000;
/** Part of the name of a damaged cache after it was set aside. */
export const DAMAGED_INFIX = '.damaged-';

export interface RepairOutcome<T> {
  outcome: Outcome<T>;
  /** Warning about a cache that was set aside, as a sentence that starts in lower case; undefined if the cache was intact. */
  warning?: string;
}

/** Runs `work`, and runs it again with a new cache if the cache is damaged. No other process may write the cache at the same time. */
export async function repairDamagedCache<T>(
  cache: string,
  clock: Clock,
  work: () => Promise<Outcome<T>>,
  signal?: AbortSignal,
): Promise<RepairOutcome<T>> {
  const outcome = await work();
  if (outcome.ok || !DAMAGE_CODES.has(outcome.failure.code) || !existsSync(cache)) return { outcome };
  const damage = await findDamage(cache, outcome.failure.message, signal);
  if (damage === undefined || signal?.aborted) return { outcome };
  const damagedCopy = `${cache.replace(/\.git$/u, '')}${DAMAGED_INFIX}${clock.now()}`;
  await rename(cache, damagedCopy);
  const retried = await work();
  const warning = `the worker's copy of the repository was damaged (${damage}). It was created again; the damaged copy is at ${damagedCopy}`;
  return retried.ok ? { outcome: retried, warning } : { outcome: retried };
}

/** Returns git's error about a damaged cache; undefined if the cache is intact or the check takes too long. */
async function findDamage(cache: string, message: string, signal?: AbortSignal): Promise<string | undefined> {
  if (OTHER_FORMAT_ERROR.test(message)) return message;
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
  const checked = await runGit({ gitDir: cache, args, timeoutMs: CHECK_TIMEOUT_MS, signal });
  return checked.ok || checked.failure.code !== 'git_failed' ? undefined : checked.failure.message;
}

/** Matches git's error if the repository was created again with another hash format. Its cache is intact, but cannot be used. */
const OTHER_FORMAT_ERROR = /reinitialize repository with different hash/u;
