/** Finds the file for a code block that names no file, or names a path that does not exist. */
import { listDefinitions, languageOf, sourceOf, flattenDefinitions } from '../definitions/index.ts';
import { isFenceOf, isTextFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../editing/text-document.ts';
import { readFenceKind } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { listImportedNames } from './name-lists.ts';
import { mergeText } from './merge-text.ts';
import type { ApplyContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

interface FileCandidate {
  path: string;
  /** Share of the block's definitions that the file contains, from 0 to 1. */
  share: number;
  /** Whether the file imports a name that the block defines. */
  importsName: boolean;
  holdsCode: boolean;
}

type BlockCode = Pick<NamedBlock, 'info' | 'text'>;

const MIN_SHARE = 0.5;

export class TargetFileFinder {
  readonly #context: ApplyContext;

  /** Creates a finder. `context.read` returns files with all earlier blocks applied. */
  constructor(context: ApplyContext) {
    this.#context = context;
  }

  /** Returns the shown file that the block fits; undefined if it fits none or several. */
  async find(block: NamedBlock): Promise<string | undefined> {
    return (await this.#findForCode(block)) ?? (await this.#findForPlainText(block));
  }

  /**
   * Returns the file to change in place of the named file; undefined if the named file is right. The named file is wrong if it has none of
   * the block's definitions and either may not be changed, or only imports them and is not named in the task.
   */
  async findAlternative(path: string, block: NamedBlock): Promise<string | undefined> {
    const namedFile = await this.#compareWithFile(path, block);
    const isWanted =
      this.#context.mayChange(path) && (!namedFile?.importsName || this.#context.isNamed?.(path));
    if (!namedFile || namedFile.share > 0 || isWanted) return undefined;
    const [candidate, another] = await this.#listCandidates(block);
    const isBetter =
      candidate && !another && candidate.share > MIN_SHARE && this.#context.mayChange(candidate.path);
    return isBetter ? candidate.path : undefined;
  }

  /** Returns the only file that contains the block's definitions. */
  async #findForCode({ path: writtenPath, ...block }: NamedBlock): Promise<string | undefined> {
    const [candidate, another] = await this.#listCandidates(block);
    if (another) return undefined;
    // If another file has the definitions and the task does not name the path, the model invented the path.
    if (writtenPath !== undefined)
      return candidate && candidate.share > MIN_SHARE && !this.#context.isNamed?.(writtenPath)
        ? candidate.path
        : undefined;
    if (candidate) return candidate.path;
    const [only, other] = await this.#listCandidates(block, ({ path, holdsCode }) => {
      return holdsCode && this.#context.mayChange(path);
    });
    return other ? undefined : only?.path;
  }

  /** Returns the shown files for which `isSuitable` is true. By default, a file is suitable if it defines a part of the block. */
  async #listCandidates(
    block: BlockCode,
    isSuitable = ({ share }: FileCandidate): boolean => share > 0,
  ): Promise<FileCandidate[]> {
    const candidates: FileCandidate[] = [];
    for (const path of this.#context.shownPaths) {
      const candidate = await this.#compareWithFile(path, block);
      if (candidate && isSuitable(candidate)) candidates.push(candidate);
    }
    return candidates;
  }

  /** Compares a file with a block. Returns undefined if the file has another language than the block's fence. */
  async #compareWithFile(path: string, { info, text: code }: BlockCode): Promise<FileCandidate | undefined> {
    const language = languageOf(path);
    const text = language && (await this.#context.read(path));
    if (!language || text === undefined || !isFenceOf(readFenceKind(info), language)) return undefined;
    const [block, file] = [await readCode(language, code), await sourceOf(path, text)];
    if (!block || !file || block.source.problems.length > 0) return undefined;
    const blockDefinitions = listDefinitions(block.items);
    const fileNames = new Set(flattenDefinitions(file.definitions).flatMap(({ names }) => names));
    const imported = listImportedNames(file, text);
    return {
      path,
      share:
        blockDefinitions.filter(({ name }) => fileNames.has(name)).length /
        Math.max(1, blockDefinitions.length),
      importsName: blockDefinitions.some(({ name }) => imported.has(name)),
      // A block with only constants is an example of use.
      holdsCode: blockDefinitions.some(({ kind }) => kind !== 'constant'),
    };
  }

  /** Returns the only file that the block fits and whose kind is that of the block's fence. */
  async #findForPlainText(block: NamedBlock): Promise<string | undefined> {
    if (block.path !== undefined || !block.closed) return undefined;
    const paths: string[] = [];
    for (const path of this.#context.shownPaths.filter((shownPath) =>
      isTextFenceOf(readFenceKind(block.info), shownPath),
    )) {
      const text = this.#context.mayChange(path) ? await this.#context.read(path) : undefined;
      if (text === undefined) continue;
      const currentText = new TextDocument(text).text;
      if (
        (await isWholeFile(path, currentText, block.text)) ||
        mergeText(path, currentText, block.text) !== undefined
      )
        paths.push(path);
    }
    return paths.length === 1 ? paths[0] : undefined;
  }
}
