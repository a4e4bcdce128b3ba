/**
 * A lock file that names its owner: one process has a thing (a worker's state folder, a hub's database, a repository
 * cache), others can read which. An owner on this machine is alive when its process id exists and began when the file says, so a recycled id does
 * not count; an owner elsewhere (another container on a shared folder) is alive while it keeps touching the file.
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
  /** When the process began, by the system; undefined if that is unknown. */
  began: z.string().optional(),
  host: z.string(),
  token: z.string(),
});
type Owner = z.output<typeof ownerSchema>;

export interface OwnerLock {
  readonly path: string;
  /** May be called twice; also done when the process exits. */
  release(): void;
}
/** `heldBy` in words, such as `process 17 on box`. */
export type TakenLock = { ok: true; lock: OwnerLock } | { ok: false; heldBy: string };

/** Takes the lock, or returns its owner. Throws errors of the file system. */
export function takeOwnerLock(path: string): TakenLock {
  const owner: Owner = {
    pid: process.pid,
    began: beganAt(process.pid),
    host: hostname(),
    token: randomUUID(),
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (created(path, owner)) return { ok: true, lock: held(path, owner) };
    const heldBy = removeIfStale(path);
    if (heldBy !== undefined) return { ok: false, heldBy };
  }
  return { ok: false, heldBy: 'one process after the other' };
}

function created(path: string, owner: Owner): boolean {
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
    // A full disk has room for the file and not for its text; left there, it would look like a process that just starts.
    unlinkIfThere(path);
    throw error;
  }
}

/** Releases of this process's locks; called when it exits. */
const releases = new Set<() => void>();
const releaseAll = () => releases.forEach((release) => release());

function held(path: string, owner: Owner): OwnerLock {
  const touch = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // The folder is gone or read-only; other writes report that when it matters.
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

/** Returns the living owner; removes the lock of a dead one and returns undefined. */
function removeIfStale(path: string): string | undefined {
  const lock = readLock(path);
  if (!lock) return undefined;
  const { owner } = lock;
  if (isAlive(lock))
    return owner ? `process ${owner.pid} on ${owner.host}` : 'a process that is just starting';
  // A rename takes exactly the file that was looked at: of two that find it stale, one succeeds.
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (readFileSync(aside, 'utf8') !== lock.text) giveBack(aside, path);
  unlinkIfThere(aside);
  return undefined;
}

/** Restores a lock that another process took between our look and our rename. */
function giveBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

interface Lock {
  text: string;
  /** Undefined while it is being written, or when it is damaged. */
  owner?: Owner;
  touchedMs: number;
}
function readLock(path: string): Lock | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, owner: ownerSchema.safeParse(parseJson(text)).data, touchedMs: statSync(path).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive({ owner, touchedMs }: Lock): boolean {
  const silent = Date.now() - touchedMs > SILENT_OWNER_MS;
  if (!owner || owner.host !== hostname()) return !silent;
  return processExists(owner.pid) && (owner.began === undefined || beganAt(owner.pid) === owner.began);
}

/** Returns whether a process of any user has this id on this machine. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Returns when a process began: boot id and clock ticks on Linux, `ps` elsewhere. Undefined if it ended or that is unknown. */
export function beganAt(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      );
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A killed worker that its parent has not waited for yet is not one that works.
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
