/** Opens a SQLite file of the worker, and runs its transactions. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import PQueue from 'p-queue';
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

export class LogSync {
  readonly #path: string;
  readonly #flushes = new PQueue({ concurrency: 1 });
  #newest: Promise<void> = Promise.resolve();
  /** Waits for a flush that another caller begins; all callers of `waitWithin` share it. */
  #delayed: Promise<void> | undefined;
  /** Number of flushes begun when `waitWithin` was last called. */
  #begunBefore = 0;
  #fd: number | undefined;
  #begun = 0;
  #isClosed = false;

  /** `path`: the log of an open database; it need not be there before the first `wait`. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when all that was written before the call is on disk. Rejects with the system's error. */
  wait(): Promise<void> {
    if (this.#flushes.size === 0) this.#newest = this.#flushes.add(() => this.#flush());
    return this.#newest;
  }

  /** Like `wait`, but first waits up to `delayMs` for a flush that another caller begins. */
  waitWithin(delayMs: number): Promise<void> {
    this.#begunBefore = this.#begun;
    return (this.#delayed ??= this.#flushAfter(delayMs));
  }

  /** Closing the database flushes what is left. May be called twice. */
  close(): void {
    this.#isClosed = true;
    void this.#flushes.onIdle().then(() => {
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
    });
  }

  async #flushAfter(delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { ref: false });
    this.#delayed = undefined;
    // A flush that began since covers everything; its own caller gets its error.
    if (this.#begun === this.#begunBefore) await this.wait();
    else await this.#newest.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    if (this.#isClosed) return;
    this.#begun += 1;
    const fd = (this.#fd ??= openSync(this.#path, 'r+'));
    await new Promise<void>((resolve, reject) => {
      fdatasync(fd, (error) => (error ? reject(error) : resolve()));
    });
  }
}
