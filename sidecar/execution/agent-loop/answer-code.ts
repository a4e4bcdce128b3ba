/**
 * Code that stands in an answer instead of in a call. It is put into files by what it defines, as a draft is; tests and
 * what the checks run stay as they are unless the task is about them.
 */
import { posix } from 'node:path';
import { isTest } from '../../brief/left-out.ts';
import { afterThinking } from '../../model/parsing/thinking.ts';
import { placeAnswer, type Placed } from '../../placing/index.ts';
import { viewOf } from '../../tools/file-view.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { KnownFiles } from './known-files.ts';

export class AnswerCode {
  readonly #run: TaskRun;
  readonly #files: KnownFiles;
  readonly #isAboutTests: boolean;
  readonly #commands: string;

  constructor(run: TaskRun, files: KnownFiles) {
    const { task } = run;
    this.#run = run;
    this.#files = files;
    this.#isAboutTests = WANTS_TESTS.test(task.description);
    this.#commands = task.verification_steps.map(({ target }) => target).join('\n');
  }

  /** Where the code of an answer goes; nothing is written. */
  place(answer: string): Promise<Placed> {
    return placeAnswer(afterThinking(answer), {
      read: (path) => this.#read(path),
      shown: this.#shown(),
      mayChange: (path) => this.#mayChange(path),
    });
  }

  /** A file of the task as it is now: the first of these, or what the task and the first message name. */
  async viewOfOne(paths: readonly (string | undefined)[], maxChars?: number): Promise<string | undefined> {
    for (const path of [...paths, ...this.#shown()]) {
      if (path === undefined || !this.#mayChange(path)) continue;
      const text = await this.#read(path);
      if (text !== undefined) return (await viewOf(path, text, { maxChars })).text;
    }
    return undefined;
  }

  #shown(): string[] {
    const hints = this.#run.task.file_hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
    return [...new Set([...this.#files.shown, ...hints])];
  }

  #mayChange(path: string): boolean {
    if (this.#isAboutTests) return true;
    const isCheck = CHECK_SCRIPT.test(posix.basename(path)) && this.#commands.includes(path);
    return !isTest(path) && !isCheck;
  }

  async #read(path: string): Promise<string | undefined> {
    const { env } = this.#run;
    return env.readFile(path).then(
      ({ text }) => text,
      () => undefined,
    );
  }
}

/** A script that a check runs, by its name: a check may run the program itself too, which is there to be changed. */
const CHECK_SCRIPT = /check|verify|test|spec|assert/i;

/** A task for which tests are to be written, not only made to pass. */
const WANTS_TESTS =
  /\b(?:writ|add|extend|updat|creat|improv|renam|rewrit|cover)\w*\b[^.\n]{0,40}\b(?:tests?|specs?|fixtures?)\b/i;
