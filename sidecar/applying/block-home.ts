/** Which file a code block is for that names none, or a path that does not exist. */
import { definitionsIn, languageOf, sourceOf, withNested } from '../definitions/index.ts';
import { isFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import { kindOf } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { importedNames } from './name-lists.ts';
import { isTextOfInfo, mergeText } from './merge-text.ts';
import type { ApplyingContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

interface Home {
  path: string;
  /** Share of the block's definitions that the file has. */
  share: number;
  /** It imports something of that name. */
  imports: boolean;
  holdsCode: boolean;
}

type Code = Pick<NamedBlock, 'info' | 'text'>;

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
   * that does while the task does not speak of it, or is not to be changed. Undefined where the name is right.
   */
  async insteadOf(path: string, block: NamedBlock): Promise<string | undefined> {
    const own = await this.#home(path, block);
    const isWanted = this.#context.mayChange(path) && (!own?.imports || this.#context.isNamed?.(path));
    if (!own || own.share > 0 || isWanted) return undefined;
    const [home, another] = await this.#homes(block);
    const isHome = home && !another && home.share > MOST && this.#context.mayChange(home.path);
    return isHome ? home.path : undefined;
  }

  /** The only one that defines what the block holds. */
  async #ofCode({ path: said, ...block }: NamedBlock): Promise<string | undefined> {
    const [home, another] = await this.#homes(block);
    if (another) return undefined;
    // A path of which nobody spoke, with what another file defines, is made up.
    if (said !== undefined)
      return home && home.share > MOST && !this.#context.isNamed?.(said) ? home.path : undefined;
    if (home) return home.path;
    const [only, other] = await this.#homes(block, ({ path, holdsCode }) => {
      return holdsCode && this.#context.mayChange(path);
    });
    return other ? undefined : only?.path;
  }

  /** The shown files that define something of the block, or those of which that is so. */
  async #homes(block: Code, suits = ({ share }: Home): boolean => share > 0): Promise<Home[]> {
    const homes: Home[] = [];
    for (const path of this.#context.shown) {
      const home = await this.#home(path, block);
      if (home && suits(home)) homes.push(home);
    }
    return homes;
  }

  /** Undefined for a file that the block's fence cannot mean. */
  async #home(path: string, { info, text: code }: Code): Promise<Home | undefined> {
    const language = languageOf(path);
    const text = language && (await this.#context.read(path));
    if (!language || text === undefined || !isFenceOf(kindOf(info), language)) return undefined;
    const [block, file] = [await readCode(language, code), await sourceOf(path, text)];
    if (!block || !file || block.source.problems.length > 0) return undefined;
    const given = definitionsIn(block.items);
    const known = new Set(withNested(file.definitions).flatMap(({ names }) => names));
    const imported = importedNames(file, text);
    return {
      path,
      share: given.filter(({ name }) => known.has(name)).length / Math.max(1, given.length),
      imports: given.some(({ name }) => imported.has(name)),
      // Values alone are an example of use.
      holdsCode: given.some(({ kind }) => kind !== 'constant'),
    };
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
