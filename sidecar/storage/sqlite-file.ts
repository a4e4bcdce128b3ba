/**
 * Opens one SQLite file by the rules of every database of this program: readable by its owner alone, WAL, a busy timeout,
 * an integrity check; a damaged file is set aside, never overwritten.
 */
import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../system/make-folder.ts';
import { otherSchema, StorageError, storageError } from './storage-error.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Larger files that were closed in order are not checked at each start, since that takes seconds. */
const ALWAYS_CHECKED_BYTES = 64 * 1024 * 1024;

/** A database that is gone when its connection is closed. */
const MEMORY = ':memory:';

export interface SqliteSchema {
  version: number;
  /** SQL that makes all tables. */
  tables: string;
}

export interface SqliteFileOptions {
  schema: SqliteSchema;
  /** `full` survives a power cut, `normal` a killed process. */
  synchronous: 'full' | 'normal';
  /** A person may have named the wrong file: one that is no SQLite database stays where it is. */
  isNamed?: boolean;
}

/**
 * Opens the file, or `:memory:`, and makes its tables where it is new. Throws `StorageError`: `storage_corrupt` after the
 * file was renamed (the message names it; the next start begins with an empty one), `storage_other_schema`,
 * `storage_read_only`, `storage_disk_full`, `storage_busy`.
 */
export function openSqliteFile(
  path: string,
  { schema, synchronous, isNamed = false }: SqliteFileOptions,
): Sqlite.Database {
  let sql: Sqlite.Database | undefined;
  try {
    const needsCheck = path !== MEMORY && makeReady(path);
    sql = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    sql.pragma('journal_mode = WAL');
    sql.pragma(`synchronous = ${synchronous}`);
    sql.pragma('foreign_keys = ON');
    if (needsCheck) checkIntegrity(sql, path);
    makeTables(sql, path, schema);
    return sql;
  } catch (cause) {
    sql?.close();
    const error = storageError(cause, path);
    const isCorrupt = error instanceof StorageError && error.code === 'storage_corrupt';
    throw isCorrupt && !(isNamed && !beginsAsDatabase(path)) ? setAside(path, error) : error;
  }
}

/**
 * Reads the file beside the process that has it open, and changes nothing; undefined where there is no file. Throws
 * `StorageError`.
 */
export function readSqliteFile<T>(path: string, read: (sql: Sqlite.Database) => T): T | undefined {
  if (!existsSync(path)) return undefined;
  let sql: Sqlite.Database | undefined;
  try {
    sql = new Sqlite(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    return read(sql);
  } catch (cause) {
    throw storageError(cause, path);
  } finally {
    sql?.close();
  }
}

/** Several processes may open a new file at once: the first one makes the tables. */
function makeTables(sql: Sqlite.Database, path: string, schema: SqliteSchema): void {
  if (versionOf(sql) === schema.version) return;
  const make = sql.transaction(() => {
    const tables = sql.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
    if (versionOf(sql) !== 0 || tables !== 0) {
      checkVersion(sql, path, schema);
      return;
    }
    sql.exec(schema.tables);
    sql.pragma(`user_version = ${schema.version}`);
  });
  make.immediate();
}

/** Throws `StorageError` `storage_other_schema` for a file of an earlier or later version of this program. */
export function checkVersion(sql: Sqlite.Database, path: string, { version }: SqliteSchema): void {
  const found = versionOf(sql);
  if (found !== version) throw otherSchema(path, { found, version });
}

const versionOf = (sql: Sqlite.Database): number => Number(sql.pragma('user_version', { simple: true }));

const HEADER = 'SQLite format 3\0';

function beginsAsDatabase(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const beginning = Buffer.alloc(HEADER.length);
    readSync(file, beginning);
    return beginning.toString('latin1') === HEADER;
  } finally {
    closeSync(file);
  }
}

/** Makes the folder and the file; whether what is there has to be checked. */
function makeReady(path: string): boolean {
  makeFolder(dirname(path));
  const needsCheck = existsSync(path) && wantsIntegrityCheck(path);
  makePrivate(path);
  return needsCheck;
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
