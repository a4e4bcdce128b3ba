/** Applies blocks that describe changes: search and replace, patches, lines with diff signs. */
import { readSearchReplace } from '../editing/search-replace.ts';
import type { PatchOperation } from '../editing/patch-parser.ts';
import type { AnswerBlock } from './types.ts';
import { isBarePath, type PathFinder } from './block-path.ts';
import type { BlockApplier } from './apply-block.ts';
import { applySearchReplace, applyUpdate, readLineDiff, readPatch } from './patches.ts';
import type { ChangedFiles } from './changed-files.ts';

export const NO_UNIQUE_PLACE_REASON = 'no single file contains the removed lines exactly once';

export class ChangeApplier {
  readonly #files: ChangedFiles;
  readonly #paths: PathFinder;
  readonly #blocks: BlockApplier;

  constructor(files: ChangedFiles, paths: PathFinder, blocks: BlockApplier) {
    this.#files = files;
    this.#paths = paths;
    this.#blocks = blocks;
  }

  async applySearchReplace(block: AnswerBlock): Promise<void> {
    const [part] = await this.#paths.splitByFile(block);
    let path = part?.exists ? part.path : undefined;
    for (const change of readSearchReplace(block.text) ?? []) {
      const namedPath = change.lineAbove.trim();
      const newPath = isBarePath(namedPath) ? namedPath : part?.exists === false ? part.path : undefined;
      // An empty search text means that the missing file is to be created.
      if (
        change.search.trim() === '' &&
        newPath !== undefined &&
        (await this.#paths.resolve(newPath)) === undefined
      ) {
        const text = change.replace;
        await this.#blocks.createFile(newPath, { ...block, text, textWithPathLine: text, exists: false });
        continue;
      }
      path = (await this.#paths.resolve(change.lineAbove.replaceAll(/^\W+|[`*:]+$/g, ''))) ?? path;
      const text = path === undefined ? undefined : await this.#files.read(path);
      if (path === undefined || text === undefined) {
        if (!(await this.#files.changeUniqueFile((original) => applySearchReplace(original, change))))
          this.#files.refuse(undefined, change.search, 'no single file contains the searched lines');
      } else if (this.#files.mayChange(path, change.replace)) {
        const outcome = applySearchReplace(text, change);
        if ('text' in outcome) this.#files.setText(path, outcome.text);
        else this.#files.refuse(path, change.search, outcome.reason);
      }
    }
  }

  /**
   * Applies a block of lines with diff signs. Returns false if no change has exactly one matching place; the block is then tried as code.
   */
  async applyLineDiff(block: AnswerBlock): Promise<boolean> {
    const [part] = await this.#paths.splitByFile(block);
    const onlyPath = part?.exists ? part.path : undefined;
    const missedTexts: string[] = [];
    let isPlaced = false;
    for (const change of readLineDiff(block.text)) {
      if (await this.#files.changeUniqueFile((text) => applySearchReplace(text, change), onlyPath))
        isPlaced = true;
      else missedTexts.push(change.search);
    }
    if (isPlaced) for (const text of missedTexts) this.#files.refuse(undefined, text, NO_UNIQUE_PLACE_REASON);
    return isPlaced;
  }

  /** Applies the block as a patch. Returns false if the block is not a patch, but code with stray +/- signs, for example. */
  async applyPatch(block: AnswerBlock): Promise<boolean> {
    const [part] = await this.#paths.splitByFile(block);
    const path = part?.exists ? part.path : undefined;
    const operations = readPatch(path !== undefined && part ? part.text : block.text, path);
    if (Array.isArray(operations)) {
      for (const operation of operations) await this.#applyOperation(operation, block);
      return true;
    }
    if (path !== undefined) return false;
    this.#files.refuse(undefined, block.text, operations.reason);
    return true;
  }

  async #applyOperation(operation: PatchOperation, block: AnswerBlock): Promise<void> {
    const path = (await this.#paths.resolve(operation.path)) ?? operation.path;
    if (operation.type === 'add') {
      const text = operation.lines.join('\n');
      return await this.#blocks.createFile(path, { ...block, text, textWithPathLine: text, exists: false });
    }
    const currentText = await this.#files.read(path);
    if (currentText === undefined) {
      const unreadable = await this.#files.context.unreadableReasonOf?.(path);
      const reason = unreadable === undefined ? 'the file does not exist' : `the file ${unreadable}`;
      return this.#files.refuse(path, block.text, reason);
    }
    if (operation.type === 'delete') return this.#files.remove(path);
    if (!this.#files.mayChange(path, block.text)) return;
    const outcome = applyUpdate(currentText, operation);
    if ('text' in outcome) this.#record(path, operation.moveTo, outcome.text);
    else this.#files.refuse(path, block.text, outcome.reason);
  }

  #record(path: string, moveTo: string | undefined, text: string): void {
    if (moveTo === undefined) return this.#files.setText(path, text);
    if (!this.#blocks.mayCreate(moveTo, text)) return;
    this.#files.move(path, moveTo, text);
  }
}
