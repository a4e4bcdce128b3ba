/** Finds the file for a code block that names no file, or names a path that does not exist. */
import { listDefinitions, languageOf, sourceOf, flattenDefinitions } from '../definitions/index.ts';
import { isFenceOf, isTextFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../editing/text-document.ts';
import { readFenceKind } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { importedNames } from './name-lists.ts';
import { mergeText } from './merge-text.ts';
import type { ApplyingContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

interface HomeCandidate {
  path: string;
  /** Share of the block's definitions that the file contains. */
  share: number;
  /** Whether the file imports a name that the block defines. */
  imports: boolean;
  holdsCode: boolean;
}

type Code = Pick<NamedBlock, 'info' | 'text'>;

const MIN_SHARE = 0.5;

export class HomeFinder {
  readonly #context: ApplyingContext;

  /** Creates a finder. `context.read` returns files with all earlier blocks applied. */
  constructor(context: ApplyingContext) {
    this.#context = context;
  }

  /** Returns the shown file that the block fits into, or undefined if no file or several fit. */
  async find(block: NamedBlock): Promise<string | undefined> {
    return (await this.#findForCode(block)) ?? (await this.#findForPlainText(block));
  }

  /**
   * Returns the file to change in place of the named file, or undefined if the named file is right. The named
   * file is wrong if it has none of the block's definitions and either may not be changed, or only imports
   * them and is not named in the task.
   */
  async findInstead(path: string, block: NamedBlock): Promise<string | undefined> {
    const own = await this.#compareWithFile(path, block);
    const isWanted = this.#context.mayChange(path) && (!own?.imports || this.#context.isNamed?.(path));
    if (!own || own.share > 0 || isWanted) return undefined;
    const [home, another] = await this.#listHomes(block);
    const isHome = home && !another && home.share > MIN_SHARE && this.#context.mayChange(home.path);
    return isHome ? home.path : undefined;
  }

  /** Returns the only file that contains the block's definitions. */
  async #findForCode({ path: said, ...block }: NamedBlock): Promise<string | undefined> {
    const [home, another] = await this.#listHomes(block);
    if (another) return undefined;
    // If the task does not name a path and another file has the definitions, the model invented the path.
    if (said !== undefined)
      return home && home.share > MIN_SHARE && !this.#context.isNamed?.(said) ? home.path : undefined;
    if (home) return home.path;
    const [only, other] = await this.#listHomes(block, ({ path, holdsCode }) => {
      return holdsCode && this.#context.mayChange(path);
    });
    return other ? undefined : only?.path;
  }

  /** Returns the shown files that suit. By default, a file suits if it defines a part of the block. */
  async #listHomes(
    block: Code,
    isSuitable = ({ share }: HomeCandidate): boolean => share > 0,
  ): Promise<HomeCandidate[]> {
    const homes: HomeCandidate[] = [];
    for (const path of this.#context.shown) {
      const home = await this.#compareWithFile(path, block);
      if (home && isSuitable(home)) homes.push(home);
    }
    return homes;
  }

  /**
   * Compares a file with a block. Returns undefined if the language of the block's fence excludes the file.
   */
  async #compareWithFile(path: string, { info, text: code }: Code): Promise<HomeCandidate | undefined> {
    const language = languageOf(path);
    const text = language && (await this.#context.read(path));
    if (!language || text === undefined || !isFenceOf(readFenceKind(info), language)) return undefined;
    const [block, file] = [await readCode(language, code), await sourceOf(path, text)];
    if (!block || !file || block.source.problems.length > 0) return undefined;
    const blockDefinitions = listDefinitions(block.items);
    const fileNames = new Set(flattenDefinitions(file.definitions).flatMap(({ names }) => names));
    const imported = importedNames(file, text);
    return {
      path,
      share:
        blockDefinitions.filter(({ name }) => fileNames.has(name)).length /
        Math.max(1, blockDefinitions.length),
      imports: blockDefinitions.some(({ name }) => imported.has(name)),
      // A block with only constants is an example of use.
      holdsCode: blockDefinitions.some(({ kind }) => kind !== 'constant'),
    };
  }

  /** Returns the only file that has the kind of the block's fence and that the block fits into. */
  async #findForPlainText(block: NamedBlock): Promise<string | undefined> {
    if (block.path !== undefined || !block.closed) return undefined;
    const found: string[] = [];
    for (const path of this.#context.shown.filter((each) => isTextFenceOf(readFenceKind(block.info), each))) {
      const text = this.#context.mayChange(path) ? await this.#context.read(path) : undefined;
      if (text === undefined) continue;
      const before = new TextDocument(text).text;
      if ((await isWholeFile(path, before, block.text)) || mergeText(path, before, block.text) !== undefined)
        found.push(path);
    }
    return found.length === 1 ? found[0] : undefined;
  }
}
