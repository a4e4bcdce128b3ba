/** Opens a SQLite file of the worker, and runs its transactions. */
import type Sqlite from 'better-sqlite3';
import { LogSync } from './log-sync.ts';
import { openSqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { storageError } from './storage-error.ts';

/** An open database. All methods throw a `StorageError` for a failure of the disk. */
export interface DatabaseFile {
  readonly path: string;
  readonly sql: Sqlite.Database;
  /** Runs statements; translates their failures. */
  guard<T>(work: () => T): T;
  /** Runs `work` in a transaction: all of it is on disk when this returns, or none. Must not be nested. */
  transaction<T>(work: () => T): T;
  /** Runs `work`; its commits survive a killed process when this returns, and a power cut after `synced`. */
  soon<T>(work: () => T): T;
  /**
   * Resolves when all earlier commits survive a power cut; waits for the disk in another thread. `withinMs`: how long
   * the flush may be delayed, so that a later commit can share it.
   */
  synced(withinMs?: number): Promise<void>;
  /** Safe to call twice. */
  close(): void;
}

/** Rejects with a `StorageError` (see `openSqliteFile`). */
export async function openDatabaseFile({
  path,
  ...options
}: SqliteFileOptions & { path: string }): Promise<DatabaseFile> {
  const sql = await openSqliteFile(path, options);
  const log = new LogSync(`${path}-wal`);
  let level = options.synchronous;
  let isRunning = false;
  const run = <T>(work: () => T, wanted: 'full' | 'normal'): T => {
    // Work inside of other work has the level of that.
    if (isRunning) return work();
    isRunning = true;
    try {
      // Commits of the same level often follow one another, and setting the level costs as much as a small commit.
      if (level !== wanted) sql.pragma(`synchronous = ${wanted}`);
      level = wanted;
      return work();
    } catch (cause) {
      throw storageError(cause, path);
    } finally {
      isRunning = false;
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
