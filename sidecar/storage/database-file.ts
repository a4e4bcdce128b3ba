/**
 * Opens, checks and migrates one SQLite file. The rules for every database of this program are here: WAL, a
 * busy timeout, an integrity check, a schema version, and a damaged file is set aside, never overwritten.
 */
import { chmodSync, closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../system/make-folder.ts';
import { LogSync } from './log-sync.ts';
import { StorageError, storageError } from './storage-error.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Larger files that were closed in order are not checked at each start, since that takes seconds. */
const ALWAYS_CHECKED_BYTES = 64 * 1024 * 1024;

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
  const { path } = options;
  let sql: Sqlite.Database | undefined;
  try {
    makeFolder(dirname(path));
    const needsCheck = existsSync(path) && wantsIntegrityCheck(path);
    makePrivate(path);
    sql = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    sql.pragma('journal_mode = WAL');
    sql.pragma(`synchronous = ${options.synchronous}`);
    sql.pragma('foreign_keys = ON');
    if (needsCheck) checkIntegrity(sql, path);
    migrate(sql, options);
    return databaseFile(sql, options);
  } catch (cause) {
    sql?.close();
    const error = storageError(cause, path);
    throw error instanceof StorageError && error.code === 'storage_corrupt' ? setAside(path, error) : error;
  }
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

/** Prompts, answers and code are in it. The files beside it get the mode that this one has. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  // One that an earlier version made; another user's stays as it is, and is used as its owner allows.
  if ((statSync(path).mode & 0o077) !== 0 && statSync(path).uid === process.getuid?.())
    chmodSync(path, 0o600);
}

/** A write-ahead log that is still there means that the last process did not close the file. */
function wantsIntegrityCheck(path: string): boolean {
  return statSync(path).size <= ALWAYS_CHECKED_BYTES || existsSync(`${path}-wal`);
}

function checkIntegrity(sql: Sqlite.Database, path: string): void {
  const found = sql.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw new StorageError('storage_corrupt', path, `${path}: ${String(found)}`);
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

function setAside(path: string, error: StorageError): StorageError {
  const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    }
  } catch (cause) {
    return new StorageError('storage_corrupt', path, `${error.message}; it could not be set aside`, cause);
  }
  return new StorageError(
    'storage_corrupt',
    aside,
    `${path} is damaged and has been set aside as ${aside}; start again to go on with an empty one`,
    error.cause ?? error,
  );
}
