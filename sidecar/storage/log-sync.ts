/**
 * Flushes a write-ahead log in another thread. A commit without a flush survives a killed process; after `wait` it
 * survives a power cut as well. Callers during a flush share the next one, and `waitWithin` lets a later caller begin
 * it. SQLite holds no lock on this file, so opening and closing it here releases none.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';

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
