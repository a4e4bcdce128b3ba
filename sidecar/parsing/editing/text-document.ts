/**
 * A text file for editing: byte order mark, lines with their own endings, and the text with plain line feeds for
 * searching. Unchanged parts stay byte-identical; new lines take the file's first ending.
 */
import { sharedEnd, sharedStart } from '../../base/values/shared-ends.ts';
import type { LineChange } from './changed-lines.ts';

/** Replaces characters `from` up to (not including) `to` of `TextDocument.text` by `text` (plain line feeds). */
export interface Replacement {
  from: number;
  to: number;
  text: string;
}

/** Replaces a whole text but preserves its byte order mark and carriage returns, which models do not see. */
export function replaceWhole(before: string, text: string): string {
  const document = new TextDocument(before);
  if (document.bom === '' && !document.hasCarriageReturns) return text;
  return document.become(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
}

export class TextDocument {
  /** The byte order mark, or empty. */
  readonly bom: string;
  /** Lines without their endings. A file that ends with a line ending has an empty last line here. */
  readonly lines: readonly string[];
  /** The ending of each line on disk: one less than there are lines. */
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
    let at = 0;
    for (const [index, line] of this.lines.entries()) {
      this.#starts[index] = at;
      at += line.length + 1;
    }
  }

  /** The lines without the empty one after a final line ending. */
  get closedLines(): readonly string[] {
    return this.lines.at(-1) === '' ? this.lines.slice(0, -1) : this.lines;
  }

  /** The ending of new lines. */
  get lineEnding(): string {
    return this.#endings[0] ?? '\n';
  }

  /** Whether any line ends other than with a plain line feed. */
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

  /** Returns the offset of `line` (from 0) in `text`; the end for the line after the last one. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** Converts ordered line changes to replacements; a last line without an ending stays without one. */
  linesReplaced(changes: readonly LineChange[]): Replacement[] {
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

  /** Returns the file's new content. `replacements` are in order and do not overlap. */
  replace(replacements: readonly Replacement[]): string {
    const ending = this.lineEnding;
    const parts = [this.bom];
    let at = 0;
    for (const { from, to, text } of replacements) {
      const lines = dropReturns(text, this.text[to]);
      parts.push(this.#original(at, from), ending === '\n' ? lines : lines.replaceAll('\n', ending));
      at = to;
    }
    parts.push(this.#original(at, this.text.length));
    return parts.join('');
  }

  /** Changes the text to `now`; common beginning and end stay untouched, including line ends. */
  become(now: string): string {
    const from = sharedStart(this.text, now);
    const same = sharedEnd(this.text.slice(from), now.slice(from));
    const to = this.text.length - same;
    return this.replace([{ from, to, text: now.slice(from, now.length - same) }]);
  }

  /** Returns the part of the file between two offsets of `text`, with its own line endings. */
  #original(from: number, to: number): string {
    const plain = this.text.slice(from, to);
    if (!this.hasCarriageReturns) return plain;
    let line = this.lineAt(from);
    return plain.replaceAll('\n', () => this.#endings[line++] ?? '\n');
  }
}

/** Removes a carriage return before a line feed: it belongs to the line ending, which the file already has. */
function dropReturns(text: string, next: string | undefined): string {
  const plain = text.replaceAll('\r\n', '\n');
  return next === '\n' && plain.endsWith('\r') ? plain.slice(0, -1) : plain;
}
