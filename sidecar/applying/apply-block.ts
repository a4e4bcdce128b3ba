/** Puts one block into one file, or makes the file. */
import { languageOf, sourceOf } from '../definitions/index.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode, withoutDiffSigns } from './code-block.ts';
import { withNameLists } from './imports.ts';
import { readDeletions, withoutDefinitions } from './deletions.ts';
import { hasMark } from './marks.ts';
import type { ChangedFiles } from './changed-files.ts';
import { mergeText } from './merge-text.ts';
import { mergeDefinitions } from './merge-definitions.ts';
import type { Reading } from './types.ts';
import { isWholeFile, mayBeWholeFile } from './whole-file.ts';

/** Definitions and statements of a block that is not a whole file; each is looked for in the file. */
const MAX_ITEMS = 500;

export class BlockReader {
  readonly #files: ChangedFiles;
  readonly #reading: Reading;

  constructor(files: ChangedFiles, reading: Reading) {
    this.#files = files;
    this.#reading = reading;
  }

  /** Says so where no file may be made. */
  mayMake(path: string, text: string): boolean {
    const mayCreate = this.#files.context.mayCreate?.(path) ?? this.#files.context.mayChange(path);
    if (isSafe(path) && mayCreate) return true;
    this.#files.refuse(path, text, 'no file may be made there', 'protected');
    return false;
  }

  async newFile(path: string, block: NamedBlock): Promise<void> {
    if (!this.mayMake(path, block.text)) return;
    if (!block.closed)
      return this.#files.refuse(path, block.text, 'the answer ends in the middle of it', 'unreadable');
    if (hasMark(block.text))
      return this.#files.refuse(path, block.text, 'the file is new, and parts of it are left out', 'loss');
    const unreadable = await this.#files.context.whyUnreadable?.(path);
    if (unreadable !== undefined)
      return this.#files.refuse(path, block.text, `the file ${unreadable}`, 'unreadable');
    if ((await this.#files.read(path)) !== undefined) return await this.intoFile(path, block);
    const lines = block.text.split('\n').filter(Boolean);
    const isAdded = lines.every((line) => line.startsWith('+'));
    const body = isAdded ? (withoutDiffSigns(block.text)?.text ?? '') : block.text;
    this.#files.change(path, `${body.trimEnd()}\n`);
  }

  async intoFile(path: string, block: NamedBlock): Promise<void> {
    const text = await this.#files.read(path);
    if (text === undefined || !this.#files.mayChange(path, block.text)) return;
    const document = new TextDocument(text);
    if (block.closed && (await this.#isWhole(path, document.text, block.text)))
      return this.#replace(path, document, block);
    const language = languageOf(path);
    if (!language) return await this.#intoPlain(path, document, block);
    // Everywhere else what is cut off does not parse.
    if (!block.closed && language === 'python')
      return this.#files.refuse(path, block.text, 'the answer ends in the middle of it', 'unreadable');
    const deletions = readDeletions(block.text);
    const code = await readCode(language, deletions.text);
    const source = await sourceOf(path, document.text);
    if (!code || !source) return this.#files.refuse(path, block.text, 'it is too long to read', 'limit');
    if (
      code.source.problems.length > 0 &&
      !code.source.problems.every(({ text }) => source.problems.some((old) => old.text === text))
    ) {
      const [problem] = code.source.problems;
      return this.#files.refuse(path, block.text, `it does not parse: ${problem?.text ?? ''}`, 'unreadable');
    }
    const original = new TextDocument(this.#files.before(path) ?? text).text;
    if (code.items.length > MAX_ITEMS)
      return this.#files.refuse(path, block.text, 'it defines too much at once', 'limit');
    const merged = mergeDefinitions({
      path,
      text: document.text,
      file: source,
      original,
      block: code,
      takesWhole: this.#reading === 'as written',
    });
    this.#files.addLeftOut(merged.leftOut.map((each) => ({ path, ...each })));
    const left = await withoutDefinitions(path, merged.text, deletions.names);
    const after = await withNameLists({ path, text: left.text, keeps: this.#reading === 'merged' }, code);
    for (const name of left.missing)
      this.#files.refuse(path, name, `${name}, which is to be deleted, is not in one place`, 'ambiguous');
    if (after !== document.text) this.#files.change(path, inFormOf(document, withOldEnd(document, after)));
    else if (merged.placed === 0 && merged.leftOut.length === 0 && !document.text.includes(block.text.trim()))
      this.#files.refuse(path, block.text, 'it holds no definition that the file has', 'ambiguous');
  }

  async #isWhole(path: string, text: string, block: string): Promise<boolean> {
    if (this.#reading === 'merged') return false;
    return await (this.#reading === 'as written' ? isWholeFile : mayBeWholeFile)(path, text, block);
  }

  /** By the whole file; one that is shown as it was before the answer is no change of it. */
  #replace(path: string, document: TextDocument, block: NamedBlock): void {
    const original = new TextDocument(this.#files.before(path) ?? '').text;
    // A file may begin with its own name.
    const [first = ''] = block.whole.trimStart().split('\n');
    const given = document.text.split('\n', 3).includes(first) ? block.whole : block.text;
    if (given.trim() !== document.text.trim() && given.trim() !== original.trim())
      this.#files.change(path, inFormOf(document, withEnd(document, given)));
  }

  async #intoPlain(path: string, document: TextDocument, block: NamedBlock): Promise<void> {
    const after = mergeText(path, document.text, block.text);
    if (after === undefined && block.closed && mayBeWholeFile(path, document.text, block.text))
      return this.#replace(path, document, block);
    if (after === undefined)
      return this.#files.refuse(
        path,
        block.text,
        'it is not the whole file, nor a part of it with one place',
        'loss',
      );
    if (after.trim() !== document.text.trim()) this.#files.change(path, inFormOf(document, after));
  }
}

/** Inside of the workspace, and no part of git's own. */
const isSafe = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').some((part) => part === '..' || part === '.git') &&
  !path.endsWith('/');

/** What stands in a block ends with a line break in the file, unless the file has none at its end. */
const withEnd = ({ text }: TextDocument, given: string): string =>
  text.endsWith('\n') ? `${given}\n` : given;

/** With as many line breaks at the end as the file has. */
const withOldEnd = ({ text }: TextDocument, merged: string): string =>
  merged.replace(/\n+$/, '') + (/\n+$/.exec(text)?.[0] ?? '');

/** `text` with the byte order mark and the line ends of the file. */
const inFormOf = ({ bom, lineEnding }: TextDocument, text: string): string =>
  bom + (lineEnding === '\n' ? text : text.replaceAll('\n', lineEnding));
