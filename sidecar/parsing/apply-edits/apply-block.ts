/** Applies one block to one file, or creates the file. */
import { findNewProblems, languageOf, sourceOf, type Language } from '../definitions/index.ts';
import { TextDocument } from '../editing/text-document.ts';
import { dropLastPart } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import type { ChangedFiles } from './changed-files.ts';
import { readCode } from './code-block.ts';
import { readDeletions, removeDefinitions } from './deletions.ts';
import { mergeNameLists } from './merge-name-lists.ts';
import { hasElisionMark } from './elision-marks.ts';
import { mergeDefinitions } from './merge-definitions.ts';
import { mergeText } from './merge-text.ts';
import type { BlockReading } from './types.ts';
import { isWholeFile, mayBeWholeFile } from './whole-file.ts';

/** Maximum number of definitions and statements in a partial block, since each of them is searched for in the file. */
const MAX_ITEMS = 500;

const CUT_OFF_REASON = 'the answer ends in the middle of the block';

export class BlockApplier {
  readonly #files: ChangedFiles;
  readonly #reading: BlockReading;

  constructor(files: ChangedFiles, reading: BlockReading) {
    this.#files = files;
    this.#reading = reading;
  }

  /** Returns whether the file may be created. If not, records the refusal. */
  mayCreate(path: string, text: string): boolean {
    if (isSafe(path)) return true;
    this.#files.refuse(path, text, 'no file may be created there', 'protected');
    return false;
  }

  async createFile(path: string, block: NamedBlock): Promise<void> {
    const { text } = block;
    if (!this.mayCreate(path, text)) return;
    if (!block.closed) return this.#files.refuse(path, text, CUT_OFF_REASON);
    if (hasElisionMark(text))
      return this.#files.refuse(path, text, 'the file is new, but the block omits parts of it');
    const unreadable = await this.#files.context.unreadableReasonOf?.(path);
    if (unreadable !== undefined) return this.#files.refuse(path, text, `the file ${unreadable}`);
    if ((await this.#files.read(path)) !== undefined) return await this.applyToFile(path, block);
    this.#files.setText(path, `${text.trimEnd()}\n`);
  }

  async applyToFile(path: string, block: NamedBlock): Promise<void> {
    const text = await this.#files.read(path);
    if (text === undefined || !this.#files.mayChange(path, block.text)) return;
    const document = new TextDocument(text);
    const deletions = readDeletions(block.text);
    // A block that deletes definitions is a part of the file, not the whole file.
    const mayBeWhole = block.closed && (deletions.names.length === 0 || this.#reading === 'whole files');
    if (mayBeWhole && (await this.#isWhole(path, document.text, deletions.text)))
      return this.#replaceFile(path, document, { ...block, text: deletions.text });
    const language = languageOf(path);
    if (language) await this.#applyToCode(path, document, block, language);
    else this.#applyToPlainText(path, document, block);
  }

  async #isWhole(path: string, text: string, block: string): Promise<boolean> {
    if (this.#reading === 'merged') return false;
    return await (this.#reading === 'as written' ? isWholeFile : mayBeWholeFile)(path, text, block);
  }

  /** Replaces the whole file. Changes nothing if the block only repeats the file from before the answer. */
  #replaceFile(path: string, document: TextDocument, block: NamedBlock): void {
    // The first line of the block may be the name of the file.
    const [first = ''] = block.textWithPathLine.trimStart().split('\n');
    const newText = document.text.split('\n', 3).includes(first) ? block.textWithPathLine : block.text;
    const original = new TextDocument(this.#files.originalOf(path) ?? '').text;
    const end = document.text.endsWith('\n') ? '\n' : '';
    if (newText.trim() !== original.trim()) this.#recordText(path, document, newText + end);
  }

  async #applyToCode(
    path: string,
    document: TextDocument,
    block: NamedBlock,
    language: Language,
  ): Promise<void> {
    const { text } = document;
    const refuse = (reason: string, part = block.text): void => this.#files.refuse(path, part, reason);
    // Only truncated Python code can be used without its last part. In other languages it would not parse.
    const whole = block.closed || language !== 'python' ? block.text : dropLastPart(block.text);
    if (whole !== block.text) refuse(CUT_OFF_REASON, block.text.slice(whole.length));
    if (whole.trim() === '') return;
    const deletions = readDeletions(whole);
    const [code, file] = [await readCode(language, deletions.text), await sourceOf(path, text)];
    if (!code || !file) return refuse('the block is too long');
    if (code.items.length > MAX_ITEMS) return refuse('the block contains too many definitions');
    const original = new TextDocument(this.#files.originalOf(path) ?? '').text;
    const replacesWholeObjects = this.#reading === 'as written';
    const merged = mergeDefinitions({
      path,
      text,
      file,
      original,
      block: code,
      replacesWholeObjects,
    });
    const pruned = await removeDefinitions(path, merged.text, deletions.names);
    const keepsUnmentioned = this.#reading === 'merged';
    const mergedText = await mergeNameLists(
      { path, text: pruned.text, originalText: text, keepsUnmentioned },
      code,
    );
    // A block that omits parts of a body may parse only in its place in the file.
    const [problem] =
      mergedText === text ? code.source.problems : await findNewProblems(path, text, mergedText);
    if (problem) return refuse(`it does not parse: ${problem.text}`);
    this.#files.addOmittedParts(path, merged.omittedParts);
    for (const name of pruned.missing) refuse(`${name} is to be deleted, but is missing or ambiguous`, name);
    if (mergedText !== text)
      this.#recordText(path, document, mergedText.trimEnd() + text.slice(text.trimEnd().length));
    else if (merged.placedCount + merged.omittedParts.length === 0 && !text.includes(block.text.trim()))
      refuse('the block contains no definition of the file');
  }

  #applyToPlainText(path: string, document: TextDocument, block: NamedBlock): void {
    const mergedText = mergeText(path, document.text, block.text);
    if (mergedText !== undefined) this.#recordText(path, document, mergedText);
    else if (block.closed && mayBeWholeFile(path, document.text, block.text))
      this.#replaceFile(path, document, block);
    else {
      const reason = 'the block is neither the whole file nor a part with one unambiguous position';
      this.#files.refuse(path, block.text, reason);
    }
  }

  /** Records the new text with the file's byte order mark and line ends. */
  #recordText(path: string, document: TextDocument, newText: string): void {
    if (newText.trim() !== document.text.trim()) this.#files.setText(path, document.replaceText(newText));
  }
}

/** Returns whether a path is inside the workspace and outside of `.git`. */
const isSafe = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').some((part) => part === '..' || part === '.git') &&
  !path.endsWith('/');
