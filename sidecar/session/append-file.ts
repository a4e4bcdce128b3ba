/**
 * A file that is only ever appended to: writes are gathered in memory, cheap enough for every token, and go to
 * disk in order with `flush`, or by themselves when many have gathered. Never throws: a failure of the disk is
 * returned by `flush` and logged once, and the work continues. Writing is synchronous: a few kilobytes reach the system's
 * cache sooner than a thread pool could open, write and close.
 */
import { appendFileSync } from 'node:fs';
import { errorMessage } from '../values/errors.ts';
import type { Failure, Logger } from '../ports.ts';

/** Gathered text that is written without waiting for a flush. */
const MAX_BUFFERED_CHARS = 256 * 1024;

export class AppendFile {
  readonly #path: string;
  readonly #logger: Logger | undefined;
  #buffered: string[] = [];
  #bufferedChars = 0;
  #failure: Failure | undefined;

  constructor(path: string, logger?: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  write(text: string): void {
    this.#buffered.push(text);
    this.#bufferedChars += text.length;
    if (this.#bufferedChars >= MAX_BUFFERED_CHARS) this.#writeOut();
  }

  /** Writes everything to the file; returns the first failure. Never rejects. */
  flush(): Promise<Failure | undefined> {
    this.#writeOut();
    return Promise.resolve(this.#failure);
  }

  #writeOut(): void {
    if (this.#buffered.length === 0) return;
    const text = this.#buffered.join('');
    this.#buffered = [];
    this.#bufferedChars = 0;
    try {
      appendFileSync(this.#path, text, { mode: 0o600 });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    const reason = errorMessage(error);
    const message = `Cannot write ${this.#path}: ${reason}. The task goes on, but its session is incomplete.`;
    this.#failure = { code: 'session_not_written', message };
    this.#logger?.warn({ path: this.#path }, message);
  }
}
