/**
 * Waits for the disk beside this process's own work. A commit that did not wait is safe from a killed process; `wait`
 * makes it safe from a power cut as well, by flushing the write-ahead log in another thread. Who waits while a flush
 * runs shares the next one, and who is in no hurry leaves it to the next who is. No lock of SQLite lies on that file, so opening and closing it takes none away.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export class LogSync {
  readonly #path: string;
  #fd: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #begun = 0;
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

  /** As `wait`, but a flush that somebody else begins within `delayMs` will do. */
  async waitWithin(delayMs: number): Promise<void> {
    const before = this.#begun;
    await sleep(delayMs, undefined, { ref: false });
    // One that has begun since has all of it; whoever began it hears how it ended.
    if (this.#begun === before) await this.wait();
    else await this.#running?.catch(() => undefined);
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
    this.#begun += 1;
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
