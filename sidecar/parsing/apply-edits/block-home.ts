/** Finds the file for a code block that names none, or names a path that does not exist. */
import { definitionsIn, languageOf, sourceOf, withNested } from '../definitions/index.ts';
import { isFenceOf, isTextFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../editing/text-document.ts';
import { kindOf } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { importedNames } from './name-lists.ts';
import { mergeText } from './merge-text.ts';
import type { ApplyingContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

interface Home {
  path: string;
  /** Share of the block's definitions that the file has. */
  share: number;
  /** Whether the file imports a name that the block defines. */
  imports: boolean;
  holdsCode: boolean;
}

type Code = Pick<NamedBlock, 'info' | 'text'>;

const MIN_SHARE = 0.5;

export class HomeFinder {
  readonly #context: ApplyingContext;

  /** `context.read` returns files with all earlier blocks applied. */
  constructor(context: ApplyingContext) {
    this.#context = context;
  }

  /** Returns the only shown file that the block fits into; undefined if none or several do. */
  async find(block: NamedBlock): Promise<string | undefined> {
    return (await this.#findForCode(block)) ?? (await this.#findForPlainText(block));
  }

  /**
   * Returns the file to change in place of the named one, or undefined if the name is right. The named file is wrong if
   * it
   * defines nothing of the block and may not be changed, or only imports the definitions and the task does not name it.
   */
  async findInstead(path: string, block: NamedBlock): Promise<string | undefined> {
    const own = await this.#home(path, block);
    const isWanted = this.#context.mayChange(path) && (!own?.imports || this.#context.isNamed?.(path));
    if (!own || own.share > 0 || isWanted) return undefined;
    const [home, another] = await this.#homes(block);
    const isHome = home && !another && home.share > MIN_SHARE && this.#context.mayChange(home.path);
    return isHome ? home.path : undefined;
  }

  /** Returns the only file that defines the block's content. */
  async #findForCode({ path: said, ...block }: NamedBlock): Promise<string | undefined> {
    const [home, another] = await this.#homes(block);
    if (another) return undefined;
    // A path that the task does not name is an invention if another file has the definitions.
    if (said !== undefined)
      return home && home.share > MIN_SHARE && !this.#context.isNamed?.(said) ? home.path : undefined;
    if (home) return home.path;
    const [only, other] = await this.#homes(block, ({ path, holdsCode }) => {
      return holdsCode && this.#context.mayChange(path);
    });
    return other ? undefined : only?.path;
  }

  /** Returns the shown files that suit; by default those that define a part of the block. */
  async #homes(block: Code, suits = ({ share }: Home): boolean => share > 0): Promise<Home[]> {
    const homes: Home[] = [];
    for (const path of this.#context.shown) {
      const home = await this.#home(path, block);
      if (home && suits(home)) homes.push(home);
    }
    return homes;
  }

  /** Compares a file with a block. Returns undefined if the language of the block's fence excludes the file. */
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
      // A block of constants only is an example of use.
      holdsCode: given.some(({ kind }) => kind !== 'constant'),
    };
  }

  /** Returns the only file whose kind matches the block's fence and into which the block fits. */
  async #findForPlainText(block: NamedBlock): Promise<string | undefined> {
    if (block.path !== undefined || !block.closed) return undefined;
    const found: string[] = [];
    for (const path of this.#context.shown.filter((each) => isTextFenceOf(kindOf(block.info), each))) {
      const text = this.#context.mayChange(path) ? await this.#context.read(path) : undefined;
      if (text === undefined) continue;
      const before = new TextDocument(text).text;
      if ((await isWholeFile(path, before, block.text)) || mergeText(path, before, block.text) !== undefined)
        found.push(path);
    }
    return found.length === 1 ? found[0] : undefined;
  }
}
