/** One worker per state folder. */
import { join } from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import { takeOwnerLock, type OwnerLock, type TakenLock } from '../system/owner-lock.ts';
import { StorageError, storageError } from './storage-error.ts';

const FILE_NAME = 'worker.lock';

/** Throws `StorageError`: `storage_locked` names the process that has the folder, `storage_read_only`, … */
export function acquireStateLock(folder: string): OwnerLock {
  const path = join(folder, FILE_NAME);
  const taken = take(folder, path);
  if (taken.ok) return taken.lock;
  throw new StorageError(
    'storage_locked',
    path,
    `${path}: ${taken.heldBy} uses this folder; stop it, or name another one with worker.stateDir`,
  );
}

function take(folder: string, path: string): TakenLock {
  try {
    makeFolder(folder);
    return takeOwnerLock(path);
  } catch (cause) {
    throw storageError(cause, path);
  }
}
