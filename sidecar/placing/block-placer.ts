/** Puts one block into one file, or makes the file. */
import { languageOf, sourceOf, type SourceFile } from '../definitions/index.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode, withoutDiffSigns, type CodeBlock } from './code-block.ts';
import { hasMark } from './marks.ts';
import { mayBePassage, withPassage } from './passage.ts';
import type { PlacedFiles } from './placed-files.ts';
import { withPlainBlock } from './plain-text.ts';
import { spliceCode } from './splice.ts';
import { isWholeFile } from './whole-file.ts';

/** Definitions and statements of a block that is not a whole file; each is looked for in the file. */
const MAX_ITEMS = 500;

export class BlockPlacer {
  readonly #files: PlacedFiles;
  /** What the answer says around its blocks. */
  readonly #prose: string;

  constructor(files: PlacedFiles, prose: string) {
    this.#files = files;
    this.#prose = prose;
  }

  async newFile(path: string, block: NamedBlock): Promise<void> {
    const mayCreate = this.#files.context.mayCreate?.(path) ?? this.#files.context.mayChange(path);
    if (!isSafe(path) || !mayCreate)
      return this.#files.refuse(path, block.text, 'no file may be made there', 'protected');
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
    this.#files.change(path, `${body.trimEnd()}\n`, 'whole-file');
  }

  async intoFile(path: string, block: NamedBlock): Promise<void> {
    const text = await this.#files.read(path);
    if (text === undefined || !this.#files.mayChange(path, block.text)) return;
    const language = languageOf(path);
    if (!language) return this.#intoPlain(path, text, block);
    // Everywhere else what is cut off does not parse.
    if (!block.closed && language === 'python')
      return this.#files.refuse(path, block.text, 'the answer ends in the middle of it', 'unreadable');
    const document = new TextDocument(text);
    const code = await readCode(language, block.text);
    const source = await sourceOf(path, document.text);
    if (!code || !source) return this.#files.refuse(path, block.text, 'it is too long to read', 'limit');
    if (mayBePassage(code) && !definesAny(source, code)) {
      const after = withPassage(document.text, block.text);
      if (after === document.text) return;
      if (after !== undefined) return this.#files.change(path, inFormOf(document, after), 'patch');
    }
    if (
      code.source.problems.length > 0 &&
      !code.source.problems.every(({ text }) => source.problems.some((old) => old.text === text))
    ) {
      const [problem] = code.source.problems;
      return this.#files.refuse(path, block.text, `it does not parse: ${problem?.text ?? ''}`, 'unreadable');
    }
    const original = new TextDocument(this.#files.before(path) ?? text).text;
    if (isWholeFile(path, source, document.text, code)) {
      if (block.text.trim() === document.text.trim() || block.text.trim() === original.trim()) return;
      return this.#files.change(path, inFormOf(document, block.text), 'whole-file');
    }
    if (code.items.length > MAX_ITEMS)
      return this.#files.refuse(path, block.text, 'it defines too much at once', 'limit');
    const spliced = await spliceCode({
      language,
      path,
      text: document.text,
      original,
      block: code,
      prose: `${block.before}\n${this.#prose}`,
    });
    this.#files.addUnplaced(spliced.unplaced.map((each) => ({ path, ...each })));
    if (spliced.text !== document.text)
      this.#files.change(path, inFormOf(document, spliced.text), 'definitions');
    else if (
      spliced.placed === 0 &&
      spliced.unplaced.length === 0 &&
      !document.text.includes(block.text.trim())
    )
      this.#files.refuse(path, block.text, 'it holds no definition that the file has', 'ambiguous');
  }

  #intoPlain(path: string, text: string, block: NamedBlock): void {
    const document = new TextDocument(text);
    const after = withPlainBlock(path, document.text, block.text);
    if (after === undefined)
      return this.#files.refuse(
        path,
        block.text,
        'it is not the whole file, nor a part of it with one place',
        'loss',
      );
    if (after.trim() !== document.text.trim())
      this.#files.change(path, inFormOf(document, after), 'whole-file');
  }
}

/** Whether the file itself has one of the names that the block gives. */
function definesAny({ definitions }: SourceFile, { source }: CodeBlock): boolean {
  const names = new Set(definitions.flatMap((each) => each.names));
  return source.definitions.some((each) => each.names.some((name) => names.has(name)));
}

/** Inside of the workspace, and no part of git's own. */
const isSafe = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').some((part) => part === '..' || part === '.git') &&
  !path.endsWith('/');

/** `text` with the byte order mark, the line ends and the last line break of the file. */
function inFormOf(document: TextDocument, text: string): string {
  const endsClosed = document.text.endsWith('\n') || document.text === '';
  const body = endsClosed
    ? `${text.replace(/\n+$/, '')}${/\n*$/.exec(document.text)?.[0] || '\n'}`
    : text.replace(/\n+$/, '');
  return document.bom + (document.lineEnding === '\n' ? body : body.replaceAll('\n', document.lineEnding));
}
