/**
 * A cache that a power cut or a full disk left damaged: it is set aside, with all that is in it, so that a new one can be
 * made. The next tasks of the repository would fail for ever otherwise.
 */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Clock, Outcome } from '../base/ports.ts';
import { runGit } from './git.ts';

/** Failures that a damaged cache may cause. */
const DOUBTFUL = new Set(['git_failed', 'workspace_fetch_failed', 'workspace_io_failed']);
const CHECK_TIMEOUT_MS = 300_000;
/** In the names of caches that are set aside. */
export const SET_ASIDE = '.damaged-';

export interface Healed<T> {
  outcome: Outcome<T>;
  /** The remedy, in a sentence that begins with a small letter. */
  warning?: string;
}

/** Runs `work`, and again with a new cache if the cache turns out to be damaged. Only while no other process writes the cache. */
export async function withSoundCache<T>(
  cache: string,
  clock: Clock,
  work: () => Promise<Outcome<T>>,
  signal?: AbortSignal,
): Promise<Healed<T>> {
  const outcome = await work();
  if (outcome.ok || !DOUBTFUL.has(outcome.failure.code) || !existsSync(cache)) return { outcome };
  const damage = await damageOf(cache, outcome.failure.message, signal);
  if (damage === undefined || signal?.aborted) return { outcome };
  const aside = `${cache.replace(/\.git$/u, '')}${SET_ASIDE}${clock.now()}`;
  await rename(cache, aside);
  const again = await work();
  const warning = `the worker's copy of the repository was damaged (${damage}) and was created again; the old one is at ${aside}`;
  return again.ok ? { outcome: again, warning } : { outcome: again };
}

/** Returns git's error on a cache that it cannot use; undefined for a sound one, or if there is no time to look. */
async function damageOf(cache: string, message: string, signal?: AbortSignal): Promise<string | undefined> {
  if (OTHER_FORMAT.test(message)) return message;
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
  const checked = await runGit({ gitDir: cache, args, timeoutMs: CHECK_TIMEOUT_MS, signal });
  return checked.ok || checked.failure.code !== 'git_failed' ? undefined : checked.failure.message;
}

/** The repository was created again with other ids: its cache is sound, and useless. */
const OTHER_FORMAT = /reinitialize repository with different hash/u;
