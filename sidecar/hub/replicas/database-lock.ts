/**
 * One hub per SQLite file: a second one would give out the first one's tasks and take back what its workers have.
 * Replicas share a queue on PostgreSQL.
 */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { takeOwnerLock, type OwnerLock } from '../../system/owner-lock.ts';

/** Another hub has the file; listed in docs/ERRORS.md. */
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

/** Throws `DatabaseLockedError`, or what the file system throws. The lock lies beside the file. */
export function lockDatabase(file: string): OwnerLock {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  const taken = takeOwnerLock(`${path}.lock`);
  if (!taken.ok) throw new DatabaseLockedError(path, taken.heldBy);
  return taken.lock;
}
