/** Holds the changed files while the blocks of an answer are applied one by one. No file is written. */
import { findNewProblems } from '../definitions/index.ts';
import type { ChangeOutcome } from './patches.ts';
import {
  createOmittedPart,
  type AnswerCandidate,
  type ChangedFile,
  type BlockReading,
  type ApplyContext,
  type OmittedPart,
} from './types.ts';

export class ChangedFiles {
  readonly context: ApplyContext;
  readonly #originals = new Map<string, string | undefined>();
  /** New texts of changed files by path; undefined for a deleted file. */
  readonly #texts = new Map<string, string | undefined>();
  readonly #sourcePaths = new Map<string, string>();
  readonly #omittedParts: OmittedPart[] = [];

  constructor(context: ApplyContext) {
    this.context = context;
  }

  /** Returns the text of a file with all earlier blocks applied. */
  async read(path: string): Promise<string | undefined> {
    if (this.#texts.has(path)) return this.#texts.get(path);
    if (!this.#originals.has(path)) this.#originals.set(path, await this.context.read(path));
    return this.#originals.get(path);
  }

  /** Returns the text that a file had before the answer. The file must have been read. */
  originalOf(path: string): string | undefined {
    return this.#originals.get(path);
  }

  setText(path: string, text: string): void {
    this.#texts.set(path, text);
  }

  /** Moves a file and changes its text. */
  move(sourcePath: string, targetPath: string, text: string): void {
    this.setText(targetPath, text);
    this.#sourcePaths.set(targetPath, sourcePath);
    this.remove(sourcePath);
  }

  /** Deletes the file. If it may not be changed, records the refusal instead. */
  remove(path: string): void {
    if (this.mayChange(path, path)) this.#texts.set(path, undefined);
  }

  refuse(path: string | undefined, text: string, reason: string, kind?: OmittedPart['kind']): void {
    this.addOmittedParts(path, [createOmittedPart(text, reason, kind)]);
  }

  addOmittedParts(path: string | undefined, parts: readonly OmittedPart[]): void {
    this.#omittedParts.push(...parts.map((part) => ({ path, ...part })));
  }

  /** Returns whether the file may be changed. If not, records the refusal. */
  mayChange(path: string, text: string): boolean {
    if (this.context.mayChange(path)) return true;
    this.refuse(path, text, 'the file must not be changed', 'protected');
    return false;
  }

  /**
   * Applies a change to the only file that it fits: `onlyPath` if given, otherwise one of the shown files. If it fits several files, the
   * task must name exactly one of them. Returns false if there is no such file.
   */
  async changeUniqueFile(
    change: (text: string, path: string) => ChangeOutcome,
    onlyPath?: string,
  ): Promise<boolean> {
    const matches: { path: string; text: string }[] = [];
    for (const path of onlyPath === undefined ? this.context.shownPaths : [onlyPath]) {
      const text = this.context.mayChange(path) ? await this.read(path) : undefined;
      const outcome = text === undefined ? undefined : change(text, path);
      if (outcome && 'text' in outcome) matches.push({ path, text: outcome.text });
    }
    const namedFiles = matches.filter(({ path }) => this.context.isNamed?.(path));
    const [match, another] = namedFiles.length > 0 ? namedFiles : matches;
    if (match && !another) this.setText(match.path, match.text);
    return match !== undefined && !another;
  }

  async buildCandidate(reading: BlockReading): Promise<AnswerCandidate> {
    const files: ChangedFile[] = [];
    const problems: AnswerCandidate['problems'][number][] = [];
    for (const [path, after] of this.#texts) {
      const before = this.#originals.get(path);
      if (before === after) continue;
      const sourcePath = this.#sourcePaths.get(path);
      files.push({ path, before, after, ...(sourcePath !== undefined && { from: sourcePath }) });
      if (after === undefined) continue;
      for (const problem of await findNewProblems(path, before ?? '', after))
        problems.push({ path, ...problem });
    }
    return { reading, files, omittedParts: this.#omittedParts, problems };
  }
}
