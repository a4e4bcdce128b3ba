/** Parses a v4a patch. The first error ends the parsing, and is reported with its line number. Pure. */
import type { ChunkLine } from './chunk.ts';
import { convertUnifiedDiff, type PatchLine } from './unified-diff.ts';
import { TextDocument } from './text-document.ts';

export interface PatchChunk {
  /** Number of the line, from 1, at which the chunk begins in the patch. */
  patchLine: number;
  /** Texts of the chunk's `@@` lines. Each of them limits the place of the chunk further. Lines with only `@@` are left out. */
  headers: string[];
  lines: ChunkLine[];
  endOfFile: boolean;
}

export type PatchOperation =
  | { type: 'add'; path: string; lines: string[] }
  | { type: 'delete'; path: string }
  | { type: 'update'; path: string; moveTo?: string; chunks: PatchChunk[] };

export type ParsedPatch = { ok: true; operations: PatchOperation[] } | { ok: false; message: string };

const FILE_HEADER = /^\*\*\*\s*(Add|Delete|Update) File:(.*)$/;
const MOVE_HEADER = /^\*\*\*\s*Move to:(.*)$/;
const END_OF_FILE = /^\*\*\*\s*End of File\s*$/;
/**
 * Matches the ranges of a unified diff and the heading after them. Both are ignored, because the heading may
 * be only a part of a line.
 */
const UNIFIED_RANGES = /^-\d+(,\d+)? \+\d+(,\d+)? @@/;

export function parsePatch(text: string): ParsedPatch {
  const envelope = openEnvelope(text);
  if (!envelope.ok) return envelope;
  const reader = new PatchReader(envelope.body);
  const operations = reader.readOperations();
  if (reader.failure) return reader.failure;
  if (operations.length === 0) return { ok: false, message: 'The patch is empty: no files were modified' };
  return { ok: true, operations };
}

class PatchReader {
  readonly #lines: readonly PatchLine[];
  #index = 0;
  /** The first error, after which nothing more is parsed. */
  failure: { ok: false; message: string } | undefined;

  constructor(lines: readonly PatchLine[]) {
    this.#lines = lines;
  }

  readOperations(): PatchOperation[] {
    const operations: PatchOperation[] = [];
    for (let line = this.#next(); line && !this.failure; line = this.#next()) {
      if (line.text.trim() === '') continue;
      const operation = this.#parseOperation(line);
      if (operation) operations.push(operation);
    }
    return operations;
  }

  #next(): PatchLine | undefined {
    return this.#lines[this.#index++];
  }

  #peek(): PatchLine | undefined {
    return this.#lines[this.#index];
  }

  #fail(line: number, message: string): undefined {
    this.failure ??= createFailure(line, message);
    return undefined;
  }

  /** Parses an operation. Its header may be indented unless the header ends an update. */
  #parseOperation(header: PatchLine): PatchOperation | undefined {
    const patchLine = header.number;
    const [, verb, writtenPath] = FILE_HEADER.exec(header.text.trim()) ?? [];
    const path = writtenPath?.trim();
    if (verb === undefined)
      return this.#fail(
        patchLine,
        `expected "*** Add File: path", "*** Update File: path" or "*** Delete File: path", found ${quoteLine(header)}`,
      );
    if (!path) return this.#fail(patchLine, 'the path is missing');
    if (verb === 'Delete') return { type: 'delete', path };
    return verb === 'Add'
      ? { type: 'add', path, lines: this.#parseAddedLines() }
      : this.#parseUpdate(path, patchLine);
  }

  #parseAddedLines(): string[] {
    const lines: string[] = [];
    let blank = 0;
    for (let line = this.#peek(); line && !isSectionHeader(line.text.trim()); line = this.#peek()) {
      this.#index++;
      if (line.text.startsWith('+')) {
        // For empty lines, the model omitted the `+`.
        lines.push(...Array.from({ length: blank }, () => ''), line.text.slice(1));
        blank = 0;
      } else if (line.text.trim() === '') {
        blank++;
      } else {
        this.#fail(line.number, `each line of an added file must start with "+", found ${quoteLine(line)}`);
        break;
      }
    }
    return lines;
  }

  #parseUpdate(path: string, patchLine: number): PatchOperation | undefined {
    const moveTo = MOVE_HEADER.exec(this.#peek()?.text ?? '')?.[1]?.trim();
    if (moveTo !== undefined) {
      this.#index++;
      if (moveTo === '') return this.#fail(patchLine + 1, 'the path to move to is missing');
    }
    this.#skipDiffHeader();
    const chunks: PatchChunk[] = [];
    for (let line = this.#peek(); line && !isSectionHeader(line.text); line = this.#peek()) {
      const chunk = this.#parseChunk(chunks.length === 0);
      if (this.failure) return undefined;
      if (chunk) chunks.push(chunk);
    }
    if (chunks.length === 0 && moveTo === undefined)
      return this.#fail(patchLine, `the update of ${path} has no changes`);
    return { type: 'update', path, moveTo, chunks };
  }

  /** Skips the two header lines of a unified diff, which some models write below the v4a header. */
  #skipDiffHeader(): void {
    const [before, after, hunk] = this.#lines.slice(this.#index, this.#index + 3);
    const isHeader = before?.text.startsWith('--- ') && after?.text.startsWith('+++ ');
    if (isHeader && hunk?.text.startsWith('@@')) this.#index += 2;
  }

  /**
   * Parses one chunk: its `@@` lines (optional for the first chunk), then its body. Returns undefined if
   * there are only blank lines.
   */
  #parseChunk(isFirst: boolean): PatchChunk | undefined {
    const start = this.#peek();
    if (!start) return undefined;
    const headers: string[] = [];
    let isMarked = false;
    for (let line = this.#peek(); line?.text.startsWith('@@'); line = this.#peek()) {
      const text = readHeaderText(line.text);
      if (text !== '') headers.push(text);
      isMarked = true;
      this.#index++;
    }
    const lines = this.#parseBody();
    if (this.failure) return undefined;
    const endOfFile = END_OF_FILE.test(this.#peek()?.text ?? '');
    if (lines.every(({ kind, text }) => kind === ' ' && text === '')) {
      if (endOfFile) return this.#fail(this.#peek()?.number ?? 0, '"*** End of File" after no lines');
      return isMarked ? this.#fail(start.number, '"@@" with no lines after it') : undefined;
    }
    if (!isMarked && !isFirst)
      return this.#fail(
        start.number,
        `only the first hunk of a file may begin without "@@", found ${quoteLine(start)}`,
      );
    if (endOfFile) this.#index++;
    return { patchLine: start.number, headers, lines, endOfFile };
  }

  #parseBody(): ChunkLine[] {
    const lines: ChunkLine[] = [];
    for (let line = this.#peek(); line; line = this.#peek()) {
      const { text, number } = line;
      if (text.startsWith('@@') || isSectionHeader(text) || END_OF_FILE.test(text)) break;
      const kind = text[0] ?? ' ';
      if (kind !== ' ' && kind !== '-' && kind !== '+') {
        this.#fail(
          number,
          `each line of a hunk must start with " ", "-" or "+" (or be an "@@" line), found ${quoteLine(line)}`,
        );
        break;
      }
      lines.push({ kind, text: text.slice(1) });
      this.#index++;
    }
    return lines;
  }
}

/** Returns whether a line ends the previous section. Any line with `***` does, known or not, except the end-of-file marker. */
const isSectionHeader = (text: string): boolean => text.startsWith('***') && !END_OF_FILE.test(text);

function readHeaderText(line: string): string {
  const text = line.slice(2).trimEnd();
  const plain = text.startsWith(' ') ? text.slice(1) : text;
  const isPlaceholder = plain.trim() === '...' || plain.trim() === '... @@';
  return isPlaceholder || UNIFIED_RANGES.test(plain.trim()) ? '' : plain.replace(/ @@$/, '');
}

const MAX_QUOTED_CHARS = 80;
const quoteLine = (line: PatchLine): string => JSON.stringify(line.text.trimEnd().slice(0, MAX_QUOTED_CHARS));

/** Content of a patch without its begin and end markers (`body`), or an error. */
type Envelope = { ok: true; body: PatchLine[] } | { ok: false; message: string };

const BEGIN_PATCH = '*** Begin Patch';
const END_PATCH = '*** End Patch';
const FENCE = /^(`{3,}|~{3,})[\w-]*$/;
const HEREDOC = /^(?:apply_?patch\s*)?<<-?\s*(['"]?)(\w+)\1$/;
const PATCH_COMMAND = /^apply_?patch$/;

function openEnvelope(text: string): Envelope {
  const lines = new TextDocument(text).lines.map((line, index) => ({ number: index + 1, text: line }));
  const inner = unwrapLayers(lines);
  const first = inner[0];
  const last = inner.at(-1);
  if (!first || !last) return createFailure(1, 'the patch is empty');
  const diff = convertUnifiedDiff(inner);
  if (diff) return { ok: true, body: diff };
  if (first.text.trim() !== BEGIN_PATCH)
    return createFailure(first.number, `the patch must begin with "${BEGIN_PATCH}"`);
  const end = inner.findIndex((line) => line.text.trimEnd() === END_PATCH);
  const nextLine = inner[end + 1];
  if (end >= 0 && nextLine) return createFailure(nextLine.number, `there is text after "${END_PATCH}"`);
  if (last.text.trim() !== END_PATCH)
    return createFailure(last.number, `the patch must end with "${END_PATCH}"`);
  const body = inner.slice(1, -1);
  return { ok: true, body: convertUnifiedDiff(body) ?? body };
}

const createFailure = (line: number, message: string): { ok: false; message: string } => ({
  ok: false,
  message: `Line ${line} of the patch: ${message}`,
});

/** Removes all wrappers around a patch, one after another. */
function unwrapLayers(lines: PatchLine[]): PatchLine[] {
  let inner = trimBlankEnds(lines);
  for (;;) {
    const first = inner[0]?.text.trim() ?? '';
    const last = inner.at(-1)?.text.trim() ?? '';
    const closing = closingOf(first);
    if (closing === undefined) return inner;
    const closed = closing !== '' && last === closing && inner.length > 1;
    inner = trimBlankEnds(inner.slice(1, closed ? -1 : undefined));
  }
}

/** Returns the line that closes the wrapper that `line` opens; empty if it needs none, undefined if `line` opens no wrapper. */
function closingOf(line: string): string | undefined {
  if (PATCH_COMMAND.test(line)) return '';
  return FENCE.exec(line)?.[1] ?? HEREDOC.exec(line)?.[2];
}

function trimBlankEnds(lines: PatchLine[]): PatchLine[] {
  const start = lines.findIndex((line) => line.text.trim() !== '');
  if (start < 0) return [];
  const end = lines.findLastIndex((line) => line.text.trim() !== '');
  return lines.slice(start, end + 1);
}
