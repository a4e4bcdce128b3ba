/**
 * Represents a text file for editing: byte order mark, lines with their own endings, and the text with plain
 * line feeds for searching. Unchanged parts remain byte-identical. New lines take the file's first ending.
 */
import { countSharedEnd, countSharedStart } from '../../base/values/shared-ends.ts';
import type { LineChange } from './changed-lines.ts';

/**
 * Replacement in `TextDocument.text`: `text` (with plain line feeds) replaces the characters from `from` up to, but not including, `to`.
 */
export interface Replacement {
  from: number;
  to: number;
  text: string;
}

/** Replaces a whole text, but retains its byte order mark and carriage returns, which models are not shown. */
export function replaceWhole(before: string, text: string): string {
  const document = new TextDocument(before);
  if (document.bom === '' && !document.hasCarriageReturns) return text;
  return document.replaceText(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
}

export class TextDocument {
  /** Byte order mark of the file; empty if it has none. */
  readonly bom: string;
  /** Lines without their endings. If the file ends with a line ending, the last of these lines is empty. */
  readonly lines: readonly string[];
  /** Line endings as in the file; one fewer than there are lines. */
  readonly #endings: readonly string[];
  /** Text of the file, with all lines joined by line feeds. */
  readonly text: string;
  /** Offset of each line in `text`. */
  readonly #starts: Int32Array;

  constructor(original: string) {
    this.bom = original.startsWith('\uFEFF') ? '\uFEFF' : '';
    const body = this.bom ? original.slice(1) : original;
    const isPlain = !body.includes('\r\n');
    this.#endings = isPlain ? [] : (body.match(/\r?\n/g) ?? []);
    this.lines = body.split(isPlain ? '\n' : /\r?\n/);
    this.text = isPlain ? body : this.lines.join('\n');
    this.#starts = new Int32Array(this.lines.length);
    let offset = 0;
    for (const [index, line] of this.lines.entries()) {
      this.#starts[index] = offset;
      offset += line.length + 1;
    }
  }

  /** Lines without the empty line after a final line ending. */
  get closedLines(): readonly string[] {
    return this.lines.at(-1) === '' ? this.lines.slice(0, -1) : this.lines;
  }

  /** Line ending that new lines take. */
  get lineEnding(): string {
    return this.#endings[0] ?? '\n';
  }

  /** Whether any line ending is not a plain line feed. */
  get hasCarriageReturns(): boolean {
    return this.#endings.some((ending) => ending !== '\n');
  }

  /** Returns the index, from 0, of the line with the character at `offset` of `text`. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the offset in `text` at which `line` (from 0) begins. For the line after the last one, returns the end of the text. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** Converts ordered line changes to replacements. If the last line has no line ending, it gets none. */
  toReplacements(changes: readonly LineChange[]): Replacement[] {
    const endsOpen = this.text !== '' && this.lines.at(-1) !== '';
    return changes.map(({ start, end, lines }) => {
      const reachesEnd = endsOpen && end >= this.lines.length;
      const text = lines.map((line) => `${line}\n`).join('');
      return {
        from: this.startOf(start),
        to: this.startOf(end),
        text: reachesEnd ? (start === end ? `\n${text}` : text).replace(/\n$/, '') : text,
      };
    });
  }

  /** Returns the file's new content. The replacements must be in order and must not overlap. */
  replace(replacements: readonly Replacement[]): string {
    const ending = this.lineEnding;
    const parts = [this.bom];
    let offset = 0;
    for (const { from, to, text } of replacements) {
      const lines = dropReturns(text, this.text[to]);
      parts.push(this.#readOriginal(offset, from), ending === '\n' ? lines : lines.replaceAll('\n', ending));
      offset = to;
    }
    parts.push(this.#readOriginal(offset, this.text.length));
    return parts.join('');
  }

  /**
   * Returns the file's content for the new text `newText`. The part at each end that is equal in both texts stays unchanged, including line
   * endings.
   */
  replaceText(newText: string): string {
    const from = countSharedStart(this.text, newText);
    const same = countSharedEnd(this.text.slice(from), newText.slice(from));
    const to = this.text.length - same;
    return this.replace([{ from, to, text: newText.slice(from, newText.length - same) }]);
  }

  /** Returns the part of the file between two offsets of `text`, with its own line endings. */
  #readOriginal(from: number, to: number): string {
    const plain = this.text.slice(from, to);
    if (!this.hasCarriageReturns) return plain;
    let line = this.lineAt(from);
    return plain.replaceAll('\n', () => this.#endings[line++] ?? '\n');
  }
}

/** Converts CRLF to LF. Also removes a final CR if the file continues with LF (`next`), since both are one line ending. */
function dropReturns(text: string, next: string | undefined): string {
  const plain = text.replaceAll('\r\n', '\n');
  return next === '\n' && plain.endsWith('\r') ? plain.slice(0, -1) : plain;
}
