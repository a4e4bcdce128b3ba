/** What becomes of the files while the blocks of an answer are put in one after the other. Nothing is written. */
import { newProblems } from '../definitions/index.ts';
import {
  excerptOf,
  type AnswerForm,
  type Candidate,
  type ChangedFile,
  type SyntaxProblemIn,
  type Reading,
  type ApplyingContext,
  type LeftOut,
  type LeftOutKind,
} from './types.ts';

/** What a file would become. */
export interface Change {
  path: string;
  text: string;
}

export class ChangedFiles {
  readonly context: ApplyingContext;
  readonly #before = new Map<string, string | undefined>();
  /** Undefined for a file that goes. */
  readonly #now = new Map<string, string | undefined>();
  readonly #leftOut: LeftOut[] = [];
  readonly #forms = new Set<AnswerForm>();

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

  change(path: string, text: string, form: AnswerForm): void {
    this.#now.set(path, text);
    this.#forms.add(form);
  }

  /** The file goes; one that may not be changed stays, and that is told. */
  remove(path: string, form: AnswerForm): void {
    if (!this.mayChange(path, path)) return;
    this.#now.set(path, undefined);
    this.#forms.add(form);
  }

  refuse(path: string | undefined, text: string, reason: string, kind: LeftOutKind): void {
    this.addLeftOut([{ path, excerpt: excerptOf(text), reason, kind }]);
  }

  addLeftOut(leftOut: readonly LeftOut[]): void {
    this.#leftOut.push(...leftOut);
  }

  /** Says so where the file may not be changed. */
  mayChange(path: string, text: string): boolean {
    if (this.context.mayChange(path)) return true;
    this.refuse(path, text, 'the file is not to be changed', 'protected');
    return false;
  }

  /** What `change` makes of each file that the model saw and that may be changed, or of the only one that is meant. */
  async tried(change: (text: string, path: string) => string | undefined, only?: string): Promise<Change[]> {
    const found: Change[] = [];
    for (const path of only === undefined ? this.context.shown : [only]) {
      const text = this.context.mayChange(path) ? await this.read(path) : undefined;
      const after = text === undefined ? undefined : change(text, path);
      if (after !== undefined) found.push({ path, text: after });
    }
    return found;
  }

  /** Makes the only one of these changes, or the only one in a file that the task names. False where there is none. */
  makeOnly(changes: readonly Change[]): boolean {
    const named = changes.filter(({ path }) => this.context.isNamed?.(path));
    const [change, second] = named.length > 0 ? named : changes;
    if (!change || second) return false;
    this.change(change.path, change.text, 'patch');
    return true;
  }

  async result(reading: Reading): Promise<Candidate> {
    const files: ChangedFile[] = [];
    const problems: SyntaxProblemIn[] = [];
    for (const [path, after] of this.#now) {
      const before = this.#before.get(path);
      if (before === after) continue;
      files.push({ path, before, after });
      if (after === undefined) continue;
      for (const problem of await newProblems(path, before ?? '', after)) problems.push({ path, ...problem });
    }
    const [form = 'none', second] = this.#forms;
    return {
      reading,
      files,
      leftOut: this.#leftOut,
      form: second === undefined ? form : 'mixed',
      problems,
    };
  }
}
