/**
 * Allows one hub per SQLite file: a second hub would assign the first one's tasks and requeue those that run. Several
 * hubs can share a queue on PostgreSQL.
 */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { takeOwnerLock, type OwnerLock } from '../../system/owner-lock.ts';

/** Thrown if another hub uses the file; listed in docs/ERRORS.md. */
class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
  readonly code = 'hub_database_locked';

  constructor(file: string, heldBy: string) {
    super(
      `${file}: ${heldBy} runs a hub on this queue; stop it, or name another file with --database (embeddedHub.database). ` +
        'Several hubs can share a queue on PostgreSQL',
    );
  }
}

/** Takes the lock file beside a database. Throws `DatabaseLockedError`, or the error of the file system. */
export function lockDatabase(file: string): OwnerLock {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  const taken = takeOwnerLock(`${path}.lock`);
  if (!taken.ok) throw new DatabaseLockedError(path, taken.heldBy);
  return taken.lock;
}
