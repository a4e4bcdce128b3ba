/**
 * A lock file that workers on one machine share (repository caches, docs/design/operations.md). Holding it is a hard link to
 * a file that names the holder; a holder that died, or has not renewed it for two minutes, loses it.
 * What it guards is safe without it too (git locks its own refs): it avoids work done twice.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { errorCode } from '../values/errors.ts';
import { isRecord, parseJson } from '../values/json.ts';
import { processExists } from '../system/owner-lock.ts';
import type { Clock, Outcome } from '../ports.ts';
import { failure, success } from './workspace-error.ts';

const RENEW_MS = 20_000;
const STALE_MS = 120_000;
const RETRY_MS = 25;

export interface LockOptions {
  clock: Clock;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Runs `work` while holding the lock; gives up after `timeoutMs` or on abort. */
export async function withFileLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const token = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const taken = await acquire(path, token, options);
  if (!taken.ok) return taken;
  const stopRenewing = renew(path, options.clock);
  try {
    return await work();
  } finally {
    stopRenewing();
    // Only our own: after two minutes without renewal another worker may hold it by right.
    if ((await readToken(path)) === token) await rm(path, { force: true });
  }
}

async function acquire(
  path: string,
  token: string,
  { clock, timeoutMs, signal }: LockOptions,
): Promise<Outcome<true>> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, token);
  try {
    const startMs = clock.monotonicMs();
    for (;;) {
      if (signal?.aborted) return failure('aborted', 'Stopped while waiting for the repository cache');
      if (await linked(own, path)) return success(true);
      await breakStale(path, clock);
      if (clock.monotonicMs() - startMs > timeoutMs) {
        return failure(
          'workspace_lock_timeout',
          `Another worker has held ${path} for more than ${timeoutMs} ms`,
          true,
        );
      }
      // A real wait: the other holder is another process, and this one must not end meanwhile.
      await setTimeout(RETRY_MS);
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function breakStale(path: string, clock: Clock): Promise<void> {
  const token = await readToken(path);
  if (token === undefined || !(await isStale(path, token, clock))) return;
  const aside = `${path}.stale.${randomUUID()}`;
  await rename(path, aside).catch(() => undefined);
  // Between reading and renaming the lock may have changed hands: then it is put back.
  if ((await readToken(aside)) !== token) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isStale(path: string, token: string, clock: Clock): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return false;
  if (clock.now() - found.mtimeMs > STALE_MS) return true;
  const holder = parseHolder(token);
  return holder?.host === hostname() && !processExists(holder.pid);
}

function parseHolder(token: string): { pid: number; host: string } | undefined {
  const value = parseJson(token);
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string'
    ? { pid: value.pid, host: value.host }
    : undefined;
}

function renew(path: string, clock: Clock): () => void {
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.schedule(RENEW_MS, () => {
      const nowS = clock.now() / 1000;
      // A lock that is gone cannot be renewed; release notices.
      utimes(path, nowS, nowS).catch(() => undefined);
      next();
    });
  };
  next();
  return () => cancel();
}

const readToken = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);
