/** Opens a SQLite file of the worker, and runs its transactions. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import PQueue from 'p-queue';
import { openSqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { toStorageError } from './storage-error.ts';

/** An open database. All methods throw a `StorageError` on a storage failure. */
export interface DatabaseFile {
  readonly path: string;
  readonly sql: Sqlite.Database;
  /** Runs `work` and converts its errors to a `StorageError`. */
  guard<T>(work: () => T): T;
  /**
   * Runs `work` in a transaction. When this returns, either all changes are on disk or none. Must not be
   * nested.
   */
  transaction<T>(work: () => T): T;
  /** Runs `work`. Commits in it survive a killed process when this returns, and a power cut after `waitForSync`. */
  runUnsynced<T>(work: () => T): T;
  /**
   * Resolves when all earlier commits survive a power cut. Waits for the disk in another thread. `withinMs`: how long the flush may be
   * delayed, so that one flush can also cover later commits.
   */
  waitForSync(withinMs?: number): Promise<void>;
  /** Closes the database. May be called twice. */
  close(): void;
}

/** Opens the file, or creates it. Rejects with a `StorageError` (see `openSqliteFile`). */
export async function openDatabaseFile({
  path,
  ...options
}: SqliteFileOptions & { path: string }): Promise<DatabaseFile> {
  const sql = await openSqliteFile(path, options);
  const flusher = new LogFlusher(`${path}-wal`);
  let level = options.synchronous;
  let isRunning = false;
  const run = <T>(work: () => T, requestedLevel: 'full' | 'normal'): T => {
    // Nested work uses the synchronization level of the outer work.
    if (isRunning) return work();
    isRunning = true;
    try {
      // The level is set only if it changes, since setting it costs as much as a small commit.
      if (level !== requestedLevel) sql.pragma(`synchronous = ${requestedLevel}`);
      level = requestedLevel;
      return work();
    } catch (cause) {
      throw toStorageError(cause, path);
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
    runUnsynced: (work) => run(work, 'normal'),
    waitForSync: (withinMs = 0) =>
      (withinMs > 0 ? flusher.waitForSharedFlush(withinMs) : flusher.waitForFlush()).catch(
        (cause: unknown) => {
          throw toStorageError(cause, path);
        },
      ),
    close: () => {
      flusher.close();
      guard(() => sql.close());
    },
  };
}

/** Flushes the write-ahead log of a database to disk, one flush at a time. */
export class LogFlusher {
  readonly #path: string;
  readonly #flushes = new PQueue({ concurrency: 1 });
  #newestFlush: Promise<void> = Promise.resolve();
  /** Pending wait for a flush that another caller may begin; shared by all callers of `waitForSharedFlush`. */
  #sharedWait: Promise<void> | undefined;
  /** Number of flushes that had begun at the last call of `waitForSharedFlush`. */
  #flushCountAtWait = 0;
  #fd: number | undefined;
  #flushCount = 0;
  #isClosed = false;

  /**
   * Creates the flusher. `path`: the write-ahead log of an open database; it may be missing before the first flush.
   */
  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when everything written before the call is on disk. Rejects with the system's error. */
  waitForFlush(): Promise<void> {
    if (this.#flushes.size === 0) this.#newestFlush = this.#flushes.add(() => this.#flush());
    return this.#newestFlush;
  }

  /** Resolves like `waitForFlush`, but first waits up to `delayMs`, in case another caller begins a flush. */
  waitForSharedFlush(delayMs: number): Promise<void> {
    this.#flushCountAtWait = this.#flushCount;
    return (this.#sharedWait ??= this.#flushAfter(delayMs));
  }

  /** Stops flushing. Writes that have not been flushed are flushed when the database is closed. May be called twice. */
  close(): void {
    this.#isClosed = true;
    void this.#flushes.onIdle().then(() => {
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
    });
  }

  async #flushAfter(delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { ref: false });
    this.#sharedWait = undefined;
    // A flush that began in the meantime covers all writes. Its own caller receives its error.
    if (this.#flushCount === this.#flushCountAtWait) await this.waitForFlush();
    else await this.#newestFlush.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    if (this.#isClosed) return;
    this.#flushCount += 1;
    const fd = (this.#fd ??= openSync(this.#path, 'r+'));
    await new Promise<void>((resolve, reject) => {
      fdatasync(fd, (error) => (error ? reject(error) : resolve()));
    });
  }
}
