/** Locks a state folder for one worker. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import { takeOwnerLock, type OwnerLock, type LockResult } from '../system/owner-lock.ts';
import { StorageError, toStorageError } from './storage-error.ts';

const FILE_NAME = 'worker.lock';

/**
 * Returns how long no worker has used the folder, by the clock of the file system. A running worker regularly updates the time of its lock,
 * and removes the lock when it ends. Returns `Infinity` if there is no folder, and 0 if it cannot be read. Must be called before the lock
 * is taken.
 */
export function measureUnusedMs(folder: string): number {
  try {
    const times = [folder, join(folder, FILE_NAME)].flatMap(
      (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? [],
    );
    return Date.now() - Math.max(...times);
  } catch {
    // The error is ignored, since taking the lock reports it.
    return 0;
  }
}

/**
 * Takes the lock. Throws `StorageError`, such as `storage_locked` with the process that uses the folder, or
 * `storage_read_only`.
 */
export function acquireStateLock(folder: string): OwnerLock {
  const path = join(folder, FILE_NAME);
  let result: LockResult;
  try {
    makeFolder(folder);
    result = takeOwnerLock(path);
  } catch (cause) {
    throw toStorageError(cause, path);
  }
  if (result.ok) return result.lock;
  throw new StorageError(
    'storage_locked',
    path,
    `${path}: ${result.heldBy} uses this folder. Stop it, or choose another folder with worker.stateDir`,
  );
}
