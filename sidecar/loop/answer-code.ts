/**
 * Code that stands in an answer instead of in a call. It is put into files by what it defines, as a draft is; tests and
 * what the checks run stay as they are unless the task may change them.
 */
import { afterThinking } from '../answers/thinking.ts';
import { applyAnswer, type Candidate } from '../applying/index.ts';
import { viewOf } from '../tools/file-view.ts';
import { changeableBy, namedBy } from '../task/checking/changeable.ts';
import { readText, whyUnreadable } from '../task/read-text.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { KnownFiles } from './known-files.ts';

export class AnswerCode {
  readonly #run: TaskRun;
  readonly #files: KnownFiles;
  readonly #mayChange: (path: string) => boolean;

  constructor(run: TaskRun, files: KnownFiles) {
    this.#run = run;
    this.#files = files;
    this.#mayChange = changeableBy(run.task);
  }

  /** The readings of an answer's code, in the order in which they are to be tried; nothing is written. */
  read(answer: string): Promise<[Candidate, ...Candidate[]]> {
    return applyAnswer(afterThinking(answer), {
      read: (path) => readText(this.#run, path),
      whyUnreadable: (path) => whyUnreadable(this.#run, path),
      shown: this.#shown(),
      isNamed: namedBy(this.#run.task),
      mayChange: this.#mayChange,
      mayCreate: () => true,
    });
  }

  /** A file of the task as it is now: the first of these, or what the task and the first message name. */
  async viewOfOne(paths: readonly (string | undefined)[], maxChars?: number): Promise<string | undefined> {
    for (const path of [...paths, ...this.#shown()]) {
      if (path === undefined || !this.#mayChange(path)) continue;
      const text = await readText(this.#run, path);
      if (text !== undefined) return (await viewOf(path, text, { maxChars })).text;
    }
    return undefined;
  }

  #shown(): string[] {
    const hints = this.#run.task.file_hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
    return [...new Set([...this.#files.shown, ...hints])];
  }
}
