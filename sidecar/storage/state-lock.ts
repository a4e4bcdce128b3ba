/** One worker per state folder. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import { takeOwnerLock, type OwnerLock, type TakenLock } from '../system/owner-lock.ts';
import { StorageError, storageError } from './storage-error.ts';

const FILE_NAME = 'worker.lock';

/**
 * For how long no worker has had this folder: one that lives touches its lock, one that ends takes it out of the folder.
 * `Infinity` where there is no folder, 0 where that cannot be seen. To be asked before the lock is taken; by the clock of the
 * file system.
 */
export function unusedMs(folder: string): number {
  try {
    const times = [folder, join(folder, FILE_NAME)].flatMap(
      (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? [],
    );
    return Date.now() - Math.max(...times);
  } catch {
    // Taking the lock says what is wrong with the folder.
    return 0;
  }
}

/** Throws `StorageError`: `storage_locked` names the process that has the folder, `storage_read_only`, … */
export function acquireStateLock(folder: string): OwnerLock {
  const path = join(folder, FILE_NAME);
  let taken: TakenLock;
  try {
    makeFolder(folder);
    taken = takeOwnerLock(path);
  } catch (cause) {
    throw storageError(cause, path);
  }
  if (taken.ok) return taken.lock;
  throw new StorageError(
    'storage_locked',
    path,
    `${path}: ${taken.heldBy} uses this folder; stop it, or name another one with worker.stateDir`,
  );
}
