/**
 * Represents a text file for editing: byte order mark, lines with their own endings, and the text with plain
 * line feeds for searching. Unchanged parts remain byte-identical. New lines take the file's first ending.
 */
import { countSharedEnd, countSharedStart } from '../../base/values/shared-ends.ts';
import type { LineChange } from './changed-lines.ts';

/**
 * Replacement in `TextDocument.text`: the characters from `from` up to (not including) `to` become `text`
 * (with plain line feeds).
 */
export interface Replacement {
  from: number;
  to: number;
  text: string;
}

/**
 * Replaces a whole text but preserves its byte order mark and carriage returns, which are not shown to
 * models.
 */
export function replaceWhole(before: string, text: string): string {
  const document = new TextDocument(before);
  if (document.bom === '' && !document.hasCarriageReturns) return text;
  return document.replaceText(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
}

export class TextDocument {
  /** Byte order mark, or an empty text. */
  readonly bom: string;
  /** Lines without their endings. A file that ends with a line ending has an empty last line here. */
  readonly lines: readonly string[];
  /** Endings of the lines on disk; one fewer than there are lines. */
  readonly #endings: readonly string[];
  /** All lines joined by line feeds. */
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

  /** Line ending for new lines. */
  get lineEnding(): string {
    return this.#endings[0] ?? '\n';
  }

  /** Whether any line has an ending other than a plain line feed. */
  get hasCarriageReturns(): boolean {
    return this.#endings.some((ending) => ending !== '\n');
  }

  /** Returns the line, from 0, of the character at `offset` of `text`. */
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

  /** Returns the offset of `line` (from 0) in `text`. For the line after the last one, returns the end. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /**
   * Converts ordered line changes to replacements. If the last line has no ending, it remains without one.
   */
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
   * Returns the file's content with the text `newText`. The common beginning and end are unchanged, including
   * line ends.
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

/**
 * Removes a carriage return before a line feed. It belongs to the line ending, which the file already has.
 */
function dropReturns(text: string, next: string | undefined): string {
  const plain = text.replaceAll('\r\n', '\n');
  return next === '\n' && plain.endsWith('\r') ? plain.slice(0, -1) : plain;
}
