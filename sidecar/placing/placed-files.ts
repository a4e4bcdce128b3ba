/** What becomes of the files while the blocks of an answer are put in one after the other. Nothing is written. */
import { languageOf, newProblems, withNamesPassed } from '../definitions/index.ts';
import { withFittingImports } from './standard-imports.ts';
import {
  excerptOf,
  type AnswerForm,
  type Placed,
  type PlacedFile,
  type PlacedProblem,
  type PlacingContext,
  type Unplaced,
  type UnplacedKind,
} from './types.ts';

/** What a file would become. */
export interface Change {
  path: string;
  text: string;
}

export class PlacedFiles {
  readonly context: PlacingContext;
  readonly #before = new Map<string, string | undefined>();
  readonly #now = new Map<string, string>();
  readonly #unplaced: Unplaced[] = [];
  readonly #forms = new Set<AnswerForm>();

  constructor(context: PlacingContext) {
    this.context = context;
  }

  /** The text as the blocks so far leave it. */
  async read(path: string): Promise<string | undefined> {
    const now = this.#now.get(path);
    if (now !== undefined) return now;
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

  refuse(path: string | undefined, text: string, reason: string, kind: UnplacedKind): void {
    this.addUnplaced([{ path, excerpt: excerptOf(text), reason, kind }]);
  }

  addUnplaced(unplaced: readonly Unplaced[]): void {
    this.#unplaced.push(...unplaced);
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

  async result(): Promise<Placed> {
    const files: PlacedFile[] = [];
    const problems: PlacedProblem[] = [];
    for (const [path, now] of this.#now) {
      const before = this.#before.get(path);
      if (before === now) continue;
      const after = await fitting(path, before, now);
      files.push({ path, before, after });
      for (const problem of await newProblems(path, before ?? '', after)) problems.push({ path, ...problem });
    }
    const [form = 'none', second] = this.#forms;
    return { files, unplaced: this.#unplaced, form: second === undefined ? form : 'mixed', problems };
  }
}

/** With what follows from the change and a small model leaves out. */
async function fitting(path: string, before: string | undefined, now: string): Promise<string> {
  const language = languageOf(path);
  const passed = language ? await withNamesPassed(language, now) : now;
  return withFittingImports(path, before, passed);
}
