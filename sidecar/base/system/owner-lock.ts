/**
 * Implements a lock file that names its owner. One process owns a resource (a worker's state folder, a hub's database, a repository cache),
 * and others can read which process. An owner on this machine is alive if a process with its id and with the start time in the file exists,
 * so a reused id does not count. An owner elsewhere (another container with a shared folder) is alive while it updates the time of the
 * file.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import { errorCode } from '../values/errors.ts';
import { parseJson } from '../values/json.ts';

const TOUCH_INTERVAL_MS = 10_000;
const SILENT_OWNER_MS = 60_000;
const MAX_ATTEMPTS = 3;

const ownerSchema = z.object({
  pid: z.number().int().positive(),
  /** Start time of the process as reported by the system; undefined if unknown. */
  began: z.string().optional(),
  host: z.string(),
  token: z.string(),
});
type LockOwner = z.output<typeof ownerSchema>;

export interface OwnerLock {
  readonly path: string;
  /** Releases the lock; also called when the process exits. May be called twice. */
  release(): void;
}
/** Result of taking a lock. `heldBy`: description of the owner, such as `process 17 on box`. */
export type LockResult = { ok: true; lock: OwnerLock } | { ok: false; heldBy: string };

/** Takes the lock, or returns a description of its owner. Throws errors of the file system. */
export function takeOwnerLock(path: string): LockResult {
  const owner: LockOwner = {
    pid: process.pid,
    began: readProcessStart(process.pid),
    host: hostname(),
    token: randomUUID(),
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (createLockFile(path, owner)) return { ok: true, lock: holdLock(path, owner) };
    const heldBy = removeIfStale(path);
    if (heldBy !== undefined) return { ok: false, heldBy };
  }
  return { ok: false, heldBy: 'another process' };
}

function createLockFile(path: string, owner: LockOwner): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(path, JSON.stringify(owner));
    return true;
  } catch (error) {
    // On a full disk, the file may have been created without its text. Such an empty file would look like the lock of a process that is
    // just starting.
    unlinkIfThere(path);
    throw error;
  }
}

/** Release functions of this process's locks; called when it exits. */
const releases = new Set<() => void>();
const releaseAll = () => releases.forEach((release) => release());

function holdLock(path: string, owner: LockOwner): OwnerLock {
  const touch = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // The folder is missing or read-only. If that matters, other writes to it report the error.
    }
  }, TOUCH_INTERVAL_MS).unref();
  const release = () => {
    clearInterval(touch);
    releases.delete(release);
    if (readLock(path)?.owner?.token === owner.token) unlinkIfThere(path);
  };
  if (releases.size === 0) process.off('exit', releaseAll).once('exit', releaseAll);
  releases.add(release);
  return { path, release };
}

/** Returns a description of the owner if it is alive. Otherwise removes the lock and returns undefined. */
function removeIfStale(path: string): string | undefined {
  const lock = readLock(path);
  if (!lock) return undefined;
  const { owner } = lock;
  if (isOwnerAlive(lock))
    return owner ? `process ${owner.pid} on ${owner.host}` : 'a process that is just starting';
  // A rename moves exactly the file that was read. If two processes find the same dead owner, only one rename succeeds.
  const asidePath = `${path}.${randomUUID()}`;
  try {
    renameSync(path, asidePath);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (readFileSync(asidePath, 'utf8') !== lock.text) restoreLock(asidePath, path);
  unlinkIfThere(asidePath);
  return undefined;
}

/** Restores a lock that another process took between the reading and the rename. */
function restoreLock(asidePath: string, path: string): void {
  try {
    linkSync(asidePath, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

interface LockFile {
  text: string;
  /** Owner of the lock; undefined while the lock is being written, or if it is damaged. */
  owner?: LockOwner;
  touchedMs: number;
}
function readLock(path: string): LockFile | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, owner: ownerSchema.safeParse(parseJson(text)).data, touchedMs: statSync(path).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isOwnerAlive({ owner, touchedMs }: LockFile): boolean {
  const isSilent = Date.now() - touchedMs > SILENT_OWNER_MS;
  if (!owner || owner.host !== hostname()) return !isSilent;
  return (
    processExists(owner.pid) && (owner.began === undefined || readProcessStart(owner.pid) === owner.began)
  );
}

/** Returns whether a process with this id, of any user, exists on this machine. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Returns the start time of a process: boot id and clock ticks on Linux, the output of `ps` elsewhere. Returns undefined if the process has
 * ended or the time is unknown.
 */
export function readProcessStart(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      );
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any characters, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie, killed but not yet reaped by its parent, does not count as alive.
    const ticks = fields[0] === 'Z' ? undefined : fields[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return ticks && `${boot}:${ticks}`;
  } catch {
    return undefined;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
