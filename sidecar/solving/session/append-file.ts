/**
 * A file for appending. Writes are collected in memory, which is cheap enough for every token, and go to disk in order with `flush` or when
 * the buffer is full. Never throws: `flush` returns a disk error, which is logged once, and the work continues. Writing is synchronous,
 * since a few kilobytes reach the system's cache sooner than a thread pool can open, write and close a file.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { errorMessage } from '../../base/values/errors.ts';
import type { Logger } from '../../base/ports.ts';
import type { Failure } from '../../base/values/outcome.ts';

/** Size of the buffer that is written without a flush. */
const MAX_BUFFERED_CHARS = 256 * 1024;

export class AppendFile {
  readonly #path: string;
  readonly #logger: Logger | undefined;
  #buffered: string[];
  #bufferedChars = 0;
  #isNew: boolean;
  #failure: Failure | undefined;

  /** Opens the file at its first write. `isNew`: the first write replaces the content. */
  constructor(path: string, logger?: Logger, isNew = false) {
    this.#path = path;
    this.#logger = logger;
    // Ends a line that a killed worker or a full disk cut off.
    this.#buffered = !isNew && isCutOff(path) ? ['\n'] : [];
    this.#isNew = isNew;
  }

  write(text: string): void {
    this.#buffered.push(text);
    this.#bufferedChars += text.length;
    if (this.#bufferedChars >= MAX_BUFFERED_CHARS) this.flush();
  }

  /** Writes the buffer to the file; returns the first failure. */
  flush(): Failure | undefined {
    const text = this.#buffered.splice(0).join('');
    this.#bufferedChars = 0;
    if (text === '') return this.#failure;
    try {
      appendFileSync(this.#path, text, { mode: 0o600, flag: this.#isNew ? 'w' : 'a' });
      this.#isNew = false;
    } catch (error) {
      this.#fail(error);
    }
    return this.#failure;
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    const reason = errorMessage(error);
    const message = `Cannot write ${this.#path}: ${reason}. The task continues, but its session is incomplete.`;
    this.#failure = { code: 'session_not_written', message };
    this.#logger?.warn({ path: this.#path }, message);
  }
}

function isCutOff(path: string): boolean {
  try {
    return !readFileSync(path, 'utf8').endsWith('\n');
  } catch {
    // The file does not exist yet.
    return false;
  }
}
