/** Holds the files while the blocks of an answer are applied one by one. No file is written. */
import { findNewProblems } from '../definitions/index.ts';
import type { ChangeOutcome } from './patches.ts';
import {
  toLeftOut,
  type Candidate,
  type ChangedFile,
  type BlockReading,
  type ApplyingContext,
  type LeftOut,
} from './types.ts';

export class ChangedFiles {
  readonly context: ApplyingContext;
  readonly #before = new Map<string, string | undefined>();
  /** Changed texts by path; undefined for a deleted file. */
  readonly #now = new Map<string, string | undefined>();
  readonly #from = new Map<string, string>();
  readonly #leftOut: LeftOut[] = [];

  constructor(context: ApplyingContext) {
    this.context = context;
  }

  /** Returns the text of a file with all earlier blocks applied. */
  async read(path: string): Promise<string | undefined> {
    if (this.#now.has(path)) return this.#now.get(path);
    if (!this.#before.has(path)) this.#before.set(path, await this.context.read(path));
    return this.#before.get(path);
  }

  /** Returns the text from before the answer, for a file that was already read. */
  before(path: string): string | undefined {
    return this.#before.get(path);
  }

  change(path: string, text: string): void {
    this.#now.set(path, text);
  }

  /** Moves a file and changes its text. */
  move(from: string, to: string, text: string): void {
    this.change(to, text);
    this.#from.set(to, from);
    this.remove(from);
  }

  /** Deletes the file. Records a refusal if the file may not be changed. */
  remove(path: string): void {
    if (this.mayChange(path, path)) this.#now.set(path, undefined);
  }

  refuse(path: string | undefined, text: string, reason: string, kind?: LeftOut['kind']): void {
    this.addLeftOut(path, [toLeftOut(text, reason, kind)]);
  }

  addLeftOut(path: string | undefined, parts: readonly LeftOut[]): void {
    this.#leftOut.push(...parts.map((each) => ({ path, ...each })));
  }

  /** Returns whether the file may be changed. Records the refusal if not. */
  mayChange(path: string, text: string): boolean {
    if (this.context.mayChange(path)) return true;
    this.refuse(path, text, 'the file must not be changed', 'protected');
    return false;
  }

  /**
   * Applies a change to the only file that it fits: `only` if given, or else one of the shown files. If it
   * fits several, they must include exactly one that the task names. Returns false if there is no such file.
   */
  async changeOnly(change: (text: string, path: string) => ChangeOutcome, only?: string): Promise<boolean> {
    const found: { path: string; text: string }[] = [];
    for (const path of only === undefined ? this.context.shown : [only]) {
      const text = this.context.mayChange(path) ? await this.read(path) : undefined;
      const outcome = text === undefined ? undefined : change(text, path);
      if (outcome && 'text' in outcome) found.push({ path, text: outcome.text });
    }
    const named = found.filter(({ path }) => this.context.isNamed?.(path));
    const [one, another] = named.length > 0 ? named : found;
    if (one && !another) this.change(one.path, one.text);
    return one !== undefined && !another;
  }

  async listResults(reading: BlockReading): Promise<Candidate> {
    const files: ChangedFile[] = [];
    const problems: Candidate['problems'][number][] = [];
    for (const [path, after] of this.#now) {
      const before = this.#before.get(path);
      if (before === after) continue;
      const from = this.#from.get(path);
      files.push({ path, before, after, ...(from !== undefined && { from }) });
      if (after === undefined) continue;
      for (const problem of await findNewProblems(path, before ?? '', after))
        problems.push({ path, ...problem });
    }
    return { reading, files, leftOut: this.#leftOut, problems };
  }
}
