/** Opens a SQLite file of the worker, and runs its transactions. */
import type Sqlite from 'better-sqlite3';
import { LogSync } from './log-sync.ts';
import { openSqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { storageError } from './storage-error.ts';

/** An open database. All methods throw `StorageError` and nothing else for a failure of the disk. */
export interface DatabaseFile {
  readonly path: string;
  readonly sql: Sqlite.Database;
  /** Runs statements; translates their failures. */
  guard<T>(work: () => T): T;
  /** All of `work` is on disk when this returns, or none of it. Not to be nested. */
  transaction<T>(work: () => T): T;
  /** When this returns, what `work` commits survives a killed process; after `synced` it survives a power cut as well. */
  soon<T>(work: () => T): T;
  /**
   * Resolves when all that is committed by now survives a power cut; waits for the disk in another thread. `withinMs`:
   * how long the flush may be delayed, so that a later commit can share it.
   */
  synced(withinMs?: number): Promise<void>;
  /** May be called twice. */
  close(): void;
}

/** Throws `StorageError` (see `openSqliteFile`). */
export function openDatabaseFile({ path, ...options }: SqliteFileOptions & { path: string }): DatabaseFile {
  const sql = openSqliteFile(path, options);
  const log = new LogSync(`${path}-wal`);
  let level = options.synchronous;
  const run = <T>(work: () => T, wanted: 'full' | 'normal'): T => {
    try {
      // Commits of the same level often follow one another, and setting the level costs as much as a small commit.
      if (level !== wanted) sql.pragma(`synchronous = ${wanted}`);
      level = wanted;
      return work();
    } catch (cause) {
      throw storageError(cause, path);
    }
  };
  const guard = <T>(work: () => T): T => run(work, options.synchronous);
  return {
    path,
    sql,
    guard,
    transaction: (work) => guard(() => sql.transaction(work).immediate()),
    soon: (work) => run(work, 'normal'),
    synced: (withinMs = 0) =>
      (withinMs > 0 ? log.waitWithin(withinMs) : log.wait()).catch((cause: unknown) => {
        throw storageError(cause, path);
      }),
    close: () => {
      log.close();
      guard(() => sql.close());
    },
  };
}
