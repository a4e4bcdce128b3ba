/**
 * Waits for the disk beside this process's own work. A commit that did not wait is safe from a killed process; `wait`
 * makes it safe from a power cut as well, by flushing the write-ahead log in another thread. Who waits while a flush
 * runs shares the next one. No lock of SQLite lies on that file, so opening and closing it takes none away.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';

export class LogSync {
  readonly #path: string;
  #fd: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isClosed = false;

  /** `path`: the log of an open database; it need not be there before the first `wait`. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when all that was written before the call is on disk. Rejects with the system's error. */
  wait(): Promise<void> {
    if (this.#running) {
      this.#next ??= this.#running.then(
        () => this.#afterwards(),
        () => this.#afterwards(),
      );
      return this.#next;
    }
    this.#running = this.#flush().finally(() => {
      this.#running = undefined;
      if (this.#isClosed) this.#release();
    });
    return this.#running;
  }

  /** Closing the database flushes what is left. May be called twice. */
  close(): void {
    this.#isClosed = true;
    if (!this.#running) this.#release();
  }

  #afterwards(): Promise<void> {
    this.#next = undefined;
    return this.wait();
  }

  async #flush(): Promise<void> {
    if (this.#isClosed) return;
    const fd = (this.#fd ??= openSync(this.#path, 'r+'));
    await new Promise<void>((resolve, reject) => {
      fdatasync(fd, (error) => (error ? reject(error) : resolve()));
    });
  }

  #release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
