/**
 * Appends texts to a file. Writes are buffered in memory, which is cheap enough for every token. `flush` writes them to disk in order, as
 * does a full buffer. Never throws: `flush` returns a disk error, which is logged once, and the work continues. Writing is synchronous,
 * since it is faster than a thread pool for a few kilobytes.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { errorMessage } from '../../base/values/errors.ts';
import type { Logger } from '../../base/ports.ts';
import type { Failure } from '../../base/values/outcome.ts';

/** Maximum size of the buffer. A larger buffer is flushed. */
const MAX_BUFFERED_CHARS = 256 * 1024;

export class AppendFile {
  readonly #path: string;
  readonly #logger: Logger | undefined;
  #buffer: string[];
  #bufferedChars = 0;
  #isNew: boolean;
  #failure: Failure | undefined;

  /** Sets the path; the first write opens the file. `isNew`: the first write replaces the content. */
  constructor(path: string, logger?: Logger, isNew = false) {
    this.#path = path;
    this.#logger = logger;
    // Ends a last line that a killed worker or a full disk truncated.
    this.#buffer = !isNew && isCutOff(path) ? ['\n'] : [];
    this.#isNew = isNew;
  }

  write(text: string): void {
    this.#buffer.push(text);
    this.#bufferedChars += text.length;
    if (this.#bufferedChars >= MAX_BUFFERED_CHARS) this.flush();
  }

  /** Writes the buffer to the file. Returns the first failure, if any. */
  flush(): Failure | undefined {
    const text = this.#buffer.splice(0).join('');
    this.#bufferedChars = 0;
    if (text === '') return this.#failure;
    try {
      appendFileSync(this.#path, text, { mode: 0o600, flag: this.#isNew ? 'w' : 'a' });
      this.#isNew = false;
    } catch (error) {
      this.#recordFailure(error);
    }
    return this.#failure;
  }

  #recordFailure(error: unknown): void {
    if (this.#failure) return;
    const reason = errorMessage(error);
    const message = `Cannot write ${this.#path}: ${reason}. The task continues, but its session is incomplete. Free disk space, or check the permissions.`;
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
