/**
 * Opens SQLite files by the rules of all databases of this program: access only for the owner, WAL, a busy timeout, an integrity check,
 * migrations. A damaged file is renamed, never overwritten.
 */
import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import PQueue from 'p-queue';
import { makeFolder } from '../system/make-folder.ts';
import { lacksMigrations, MIGRATION_TABLE, type DatabaseSchema } from './schema-state.ts';
import { StorageError, toStorageError } from './storage-error.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Maximum size of a file that is checked at each start. Checking a larger file would take seconds. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** Path that means a database in memory, for one connection. */
const MEMORY_PATH = ':memory:';

export interface SqliteFileOptions {
  schema: DatabaseSchema;
  /** Durability of commits: with `full` they survive a power cut, with `normal` only a killed process. */
  synchronous: 'full' | 'normal';
  /** Whether the user named the file. If such a file is no SQLite database, it may be the wrong file, so it is not renamed. */
  isUserNamed?: boolean;
}

/**
 * Opens the file, or `:memory:`, and applies missing migrations. Rejects with a `StorageError`:
 * `storage_corrupt` after the file was renamed (the message has the new name; the next start begins with an
 * empty file), `storage_other_schema`, `storage_read_only`, `storage_disk_full`, `storage_busy`.
 */
export async function openSqliteFile(
  path: string,
  { schema, synchronous, isUserNamed: isNamed = false }: SqliteFileOptions,
): Promise<Sqlite.Database> {
  let sql: Sqlite.Database | undefined;
  try {
    const needsCheck = path !== MEMORY_PATH && ensureFile(path);
    sql = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    sql.pragma('journal_mode = WAL');
    sql.pragma(`synchronous = ${synchronous}`);
    if (needsCheck) checkIntegrity(sql, path);
    await migrate(sql, path, schema);
    sql.pragma('foreign_keys = ON');
    return sql;
  } catch (cause) {
    sql?.close();
    const error = toStorageError(cause, path);
    const isCorrupt = error instanceof StorageError && error.code === 'storage_corrupt';
    throw isCorrupt && !(isNamed && !hasDatabaseHeader(path)) ? renameCorruptFile(path, error) : error;
  }
}

/**
 * Reads the file while another process may have it open. Returns undefined if the file is missing. Changes
 * the file only if it lacks migrations. Rejects with a `StorageError`.
 */
export async function readSqliteFile<T>(
  path: string,
  schema: DatabaseSchema,
  read: (sql: Sqlite.Database) => T,
): Promise<T | undefined> {
  if (!existsSync(path)) return undefined;
  let sql: Sqlite.Database | undefined;
  try {
    sql = new Sqlite(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    if (isOutdated(sql, path, schema)) {
      sql.close();
      sql = await openSqliteFile(path, { schema, synchronous: 'full' });
    }
    return read(sql);
  } catch (cause) {
    throw toStorageError(cause, path);
  } finally {
    sql?.close();
  }
}

/** Runs the migrations of this process one after another. SQLite's lock orders those of several processes. */
const migrationQueue = new PQueue({ concurrency: 1 });

/** Applies all missing migrations, or none on failure. */
async function migrate(sql: Sqlite.Database, path: string, schema: DatabaseSchema): Promise<void> {
  if (!isOutdated(sql, path, schema)) return;
  const [{ Kysely, SqliteDialect }, { applyMigrations }] = await Promise.all([
    import('kysely'),
    import('./migrations.ts'),
  ]);
  const database = { prepare: (statement: string) => sql.prepare(statement), close: () => undefined };
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  await migrationQueue.add(async () => {
    sql.exec('BEGIN IMMEDIATE');
    try {
      if (isOutdated(sql, path, schema)) await applyMigrations(db, schema);
      sql.exec('COMMIT');
    } finally {
      if (sql.inTransaction) sql.exec('ROLLBACK');
    }
  });
}

function isOutdated(sql: Sqlite.Database, path: string, schema: DatabaseSchema): boolean {
  const names = sql.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
  const applied = names.includes(MIGRATION_TABLE)
    ? sql.prepare<[], string>(`SELECT name FROM ${MIGRATION_TABLE}`).pluck().all()
    : [];
  const version = Number(sql.pragma('user_version', { simple: true }));
  return lacksMigrations(
    schema,
    { appliedMigrations: applied, isEmpty: names.length === 0 && version === 0, version },
    path,
  );
}

const DATABASE_HEADER = 'SQLite format 3\0';

function hasDatabaseHeader(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(DATABASE_HEADER.length);
    readSync(file, header);
    return header.toString('latin1') === DATABASE_HEADER;
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the folder and the file if they are missing. Returns whether an existing file has to be checked.
 */
function ensureFile(path: string): boolean {
  makeFolder(dirname(path));
  const needsCheck = existsSync(path) && needsIntegrityCheck(path);
  makePrivate(path);
  return needsCheck;
}

/**
 * Limits access to the owner, because the file contains prompts, answers and code. SQLite copies the mode to
 * the files beside it.
 */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  // If another user owns the file, its mode is not changed.
  if ((statSync(path).mode & 0o077) !== 0 && statSync(path).uid === process.getuid?.())
    chmodSync(path, 0o600);
}

/**
 * Returns whether to check a file: it is small, or its write-ahead log shows that the last process did not
 * close it.
 */
function needsIntegrityCheck(path: string): boolean {
  return statSync(path).size <= MAX_CHECKED_BYTES || existsSync(`${path}-wal`);
}

function checkIntegrity(sql: Sqlite.Database, path: string): void {
  const checkResult = sql.pragma('quick_check(1)', { simple: true });
  if (checkResult !== 'ok')
    throw new StorageError('storage_corrupt', path, `${path}: ${String(checkResult)}`);
}

function renameCorruptFile(path: string, error: StorageError): StorageError {
  const asidePath = `${path}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, asidePath + suffix);
    }
  } catch (cause) {
    return new StorageError(
      'storage_corrupt',
      path,
      `${error.message}; the program could not rename the damaged file, so move it away yourself`,
      cause,
    );
  }
  return new StorageError(
    'storage_corrupt',
    asidePath,
    `${path} is damaged and was renamed to ${asidePath}; restart to continue with a new, empty file`,
    error.cause ?? error,
  );
}
