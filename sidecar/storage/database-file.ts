/** Opens and migrates a SQLite file of the worker, and runs its transactions. */
import type Sqlite from 'better-sqlite3';
import { LogSync } from './log-sync.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { StorageError, storageError } from './storage-error.ts';

export interface DatabaseFileOptions {
  path: string;
  /** SQL of each schema version, the first one makes version 1. Only ever appended to. */
  migrations: readonly string[];
  /** `full` survives a power cut, `normal` a killed process. */
  synchronous: 'full' | 'normal';
}

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

/**
 * Throws `StorageError`: `storage_corrupt` after the file was renamed (the message names it; the next start
 * begins with an empty one), `storage_newer_schema`, `storage_read_only`, `storage_disk_full`, `storage_busy`.
 */
export function openDatabaseFile(options: DatabaseFileOptions): DatabaseFile {
  const { path, synchronous } = options;
  const sql = openSqliteFile(path, { synchronous, prepare: (opened) => migrate(opened, options) });
  return databaseFile(sql, options);
}

function databaseFile(sql: Sqlite.Database, { path, synchronous }: DatabaseFileOptions): DatabaseFile {
  const log = new LogSync(`${path}-wal`);
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw storageError(cause, path);
    }
  };
  return {
    path,
    sql,
    guard,
    transaction: (work) => guard(() => sql.transaction(work).immediate()),
    soon: (work) =>
      guard(() => {
        sql.pragma('synchronous = normal');
        try {
          return work();
        } finally {
          sql.pragma(`synchronous = ${synchronous}`);
        }
      }),
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

function migrate(sql: Sqlite.Database, { path, migrations }: DatabaseFileOptions): void {
  const version = Number(sql.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new StorageError(
      'storage_newer_schema',
      path,
      `${path}: a newer version of this program wrote it (schema ${version}, this one knows ${migrations.length}); use that version, or another folder`,
    );
  }
  const upgrade = sql.transaction(() => {
    for (const step of migrations.slice(version)) sql.exec(step);
    sql.pragma(`user_version = ${migrations.length}`);
  });
  if (version < migrations.length) upgrade.immediate();
}
