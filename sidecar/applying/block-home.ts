/** Which file a code block is for that names none, or a path that does not exist. */
import { languageOf, sourceOf, withNested, type SourceFile } from '../definitions/index.ts';
import { isFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import { kindOf } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { importedNames } from './name-lists.ts';
import { isTextOfInfo, mergeText } from './merge-text.ts';
import { definitionsIn } from './sides.ts';
import type { ApplyingContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

interface Home {
  path: string;
  /** Share of the block's definitions that the file has. */
  share: number;
  holdsCode: boolean;
}

const MOST = 0.5;

export class HomeFinder {
  readonly #context: ApplyingContext;

  /** `context.read` gives the files as the blocks so far leave them. */
  constructor(context: ApplyingContext) {
    this.#context = context;
  }

  /** The one file that the block fits into, of those that the model saw; undefined where none or several do. */
  async of(block: NamedBlock): Promise<string | undefined> {
    return (await this.#ofCode(block)) ?? (await this.#ofPlainText(block));
  }

  /**
   * The file to take in place of the one that is named: that one defines nothing of the block, and imports from the only file
   * that does, or is not to be changed. Undefined where the name is right.
   */
  async insteadOf(path: string, block: NamedBlock): Promise<string | undefined> {
    const language = languageOf(path);
    const text = language && (await this.#context.read(path));
    const source = text === undefined ? undefined : await sourceOf(path, text);
    const code = language && (await readCode(language, block.text));
    if (!source || !code || text === undefined) return undefined;
    const given = definitionsIn(code.items).map(({ name }) => name);
    const known = namesIn(source);
    const imported = importedNames(source, text);
    const isImported = given.some((name) => imported.has(name));
    if (given.some((name) => known.has(name)) || (this.#context.mayChange(path) && !isImported))
      return undefined;
    const [home, another] = (await this.#homes(block)).filter(({ share }) => share > 0);
    return home && !another && home.share > MOST && this.#context.mayChange(home.path)
      ? home.path
      : undefined;
  }

  /** The only one that defines what the block holds. */
  async #ofCode({ path: said, ...block }: NamedBlock): Promise<string | undefined> {
    const homes = await this.#homes(block);
    const [home, another] = homes.filter(({ share }) => share > 0);
    if (another) return undefined;
    // A path of which nobody spoke, with what another file defines, is made up.
    if (said !== undefined)
      return home && home.share > MOST && !this.#context.isNamed?.(said) ? home.path : undefined;
    const [only, other] = homes.filter(({ path, holdsCode }) => holdsCode && this.#context.mayChange(path));
    return home?.path ?? (other ? undefined : only?.path);
  }

  /** The shown files that the block's fence may mean. */
  async #homes(block: Pick<NamedBlock, 'info' | 'text'>): Promise<Home[]> {
    const homes: Home[] = [];
    for (const path of this.#context.shown) {
      const language = languageOf(path);
      const text = language && (await this.#context.read(path));
      if (!language || text === undefined || !isFenceOf(kindOf(block.info), language)) continue;
      const [code, source] = [await readCode(language, block.text), await sourceOf(path, text)];
      if (!code || !source || code.source.problems.length > 0) continue;
      const given = definitionsIn(code.items);
      const known = namesIn(source);
      const share = given.filter(({ name }) => known.has(name)).length / Math.max(1, given.length);
      // Values alone are an example of use.
      homes.push({ path, share, holdsCode: given.some(({ kind }) => kind !== 'constant') });
    }
    return homes;
  }

  /** The only one that the block's fence may mean and that takes it. */
  async #ofPlainText(block: NamedBlock): Promise<string | undefined> {
    if (block.path !== undefined || !block.closed) return undefined;
    const found: string[] = [];
    for (const path of this.#context.shown.filter((each) => isTextOfInfo(block.info, each))) {
      const text = this.#context.mayChange(path) ? await this.#context.read(path) : undefined;
      if (text === undefined) continue;
      const before = new TextDocument(text).text;
      if ((await isWholeFile(path, before, block.text)) || mergeText(path, before, block.text) !== undefined)
        found.push(path);
    }
    return found.length === 1 ? found[0] : undefined;
  }
}

const namesIn = ({ definitions }: SourceFile): ReadonlySet<string> =>
  new Set(withNested(definitions).flatMap(({ names }) => names));
