/** The files while the blocks of an answer are put in one after the other. Nothing is written. */
import { newProblems } from '../definitions/index.ts';
import type { Outcome } from './patches.ts';
import {
  leftOut,
  type Candidate,
  type ChangedFile,
  type Reading,
  type ApplyingContext,
  type LeftOut,
} from './types.ts';

export class ChangedFiles {
  readonly context: ApplyingContext;
  readonly #before = new Map<string, string | undefined>();
  /** Undefined for a file that goes. */
  readonly #now = new Map<string, string | undefined>();
  readonly #from = new Map<string, string>();
  readonly #leftOut: LeftOut[] = [];

  constructor(context: ApplyingContext) {
    this.context = context;
  }

  /** The text as the blocks so far leave it. */
  async read(path: string): Promise<string | undefined> {
    if (this.#now.has(path)) return this.#now.get(path);
    if (!this.#before.has(path)) this.#before.set(path, await this.context.read(path));
    return this.#before.get(path);
  }

  /** The text before the answer, of a file that was read. */
  before(path: string): string | undefined {
    return this.#before.get(path);
  }

  change(path: string, text: string): void {
    this.#now.set(path, text);
  }

  /** A text under another path. */
  move(from: string, to: string, text: string): void {
    this.change(to, text);
    this.#from.set(to, from);
    this.remove(from);
  }

  /** The file goes; one that may not be changed stays, and the result says so. */
  remove(path: string): void {
    if (this.mayChange(path, path)) this.#now.set(path, undefined);
  }

  refuse(path: string | undefined, text: string, reason: string, kind?: LeftOut['kind']): void {
    this.addLeftOut(path, [leftOut(text, reason, kind)]);
  }

  addLeftOut(path: string | undefined, parts: readonly LeftOut[]): void {
    this.#leftOut.push(...parts.map((each) => ({ path, ...each })));
  }

  /** Says so where the file may not be changed. */
  mayChange(path: string, text: string): boolean {
    if (this.context.mayChange(path)) return true;
    this.refuse(path, text, 'the file is not to be changed', 'protected');
    return false;
  }

  /**
   * Makes a change in the only file that it fits of those that the model saw, or in the only one that the task names, or in
   * `only`. False where there is none.
   */
  async changeOnly(change: (text: string, path: string) => Outcome, only?: string): Promise<boolean> {
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

  async result(reading: Reading): Promise<Candidate> {
    const files: ChangedFile[] = [];
    const problems: Candidate['problems'][number][] = [];
    for (const [path, after] of this.#now) {
      const before = this.#before.get(path);
      if (before === after) continue;
      const from = this.#from.get(path);
      files.push({ path, before, after, ...(from !== undefined && { from }) });
      if (after === undefined) continue;
      for (const problem of await newProblems(path, before ?? '', after)) problems.push({ path, ...problem });
    }
    return { reading, files, leftOut: this.#leftOut, problems };
  }
}
