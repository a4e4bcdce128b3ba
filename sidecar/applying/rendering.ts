/**
 * A definition of the answer as it is to stand in the file: in the file's indentation, in the form that its place
 * asks for, with the comments, decorators and `export` that the answer left out.
 */
import type { Definition } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { indentAt, movedIndent, unitIn, unitOf, type Move, type Unit } from './indentation.ts';
import { isMark } from './marks.ts';

export interface FileText {
  text: string;
  definitions: readonly Definition[];
  /** Whether `export` may be written in it. */
  isModule: boolean;
}

export class Renderer {
  readonly #block: CodeBlock;
  readonly #file: FileText;
  readonly #starts: number[] = [0];
  readonly #unit: Unit | undefined;
  readonly #fileUnit: Unit | undefined;

  constructor(block: CodeBlock, file: FileText) {
    this.#block = block;
    this.#file = file;
    for (let at = block.text.indexOf('\n'); at >= 0; at = block.text.indexOf('\n', at + 1))
      this.#starts.push(at + 1);
    this.#unit = unitOf(block.text, block.source.definitions);
    this.#fileUnit = unitOf(file.text, file.definitions);
  }

  /** One level in the file, or else as the answer has it. */
  get unit(): string {
    return this.#fileUnit?.text ?? this.#unit?.text ?? '  ';
  }

  /** The text from its first comment on that takes the place of `old`, which begins at `old.start`. */
  replacing(definition: Definition, old: Definition): string {
    const { text } = this.#file;
    const move = this.moveTo(definition, indentAt(text, old.bareStart));
    // A file may be indented in several ways.
    move.file = unitIn(text, old) ?? move.file;
    return this.#prefix(definition, old, move) + this.#core(definition, old, move);
  }

  /** What stands before the declaration itself, for the place of `old`. */
  prefixFor(definition: Definition, old: Definition): string {
    return this.#prefix(definition, old, this.moveTo(definition, indentAt(this.#file.text, old.bareStart)));
  }

  /** Comments, decorators and `export` for the place of `old`. */
  #prefix(definition: Definition, old: Definition, move: Move): string {
    const { text } = this.#file;
    const comments = this.#comments(definition, old, move);
    const decorators =
      definition.exportStart > definition.decoratorsStart
        ? this.#adopt(definition.decoratorsStart, definition.exportStart, move)
        : text.slice(old.decoratorsStart, old.exportStart);
    const own = this.#adopt(definition.exportStart, definition.bareStart, move);
    const given = old.exportStart < old.bareStart || !this.#file.isModule ? '' : own;
    return comments + decorators + (given || text.slice(old.exportStart, old.bareStart));
  }

  /** A doc comment is not given up for a remark. */
  #comments(definition: Definition, old: Definition, move: Move): string {
    const kept = this.#file.text.slice(old.start, old.decoratorsStart);
    const given = this.commentsOf(definition, move);
    if (given.trim() === '') return kept;
    if (kept.trim() === '') return given;
    const isDoc = (comment: string): boolean => /^\s*(\/\*\*|\/\/\/|\/\/!)/.test(comment);
    return isDoc(kept) && !isDoc(given) ? kept : given;
  }

  /** The comments above it, without marks. */
  commentsOf(definition: Definition, move: Move): string {
    const given = this.#adopt(definition.start, definition.decoratorsStart, move);
    if (given === '') return '';
    const lines = given.split('\n');
    const last = lines.pop() ?? '';
    const told = lines.filter((line) => !isMark(line));
    return told.length === 0
      ? ''
      : [...told.map((line, index) => (index === 0 ? line.trimStart() : line)), last].join('\n');
  }

  #core(definition: Definition, old: Definition, move: Move): string {
    const text = this.#adopt(definition.bareStart, definition.end, move);
    const keyword = /^(const|var|type)\s+/;
    if (this.#block.source.language === 'go') {
      const oldText = this.#file.text.slice(old.bareStart, old.end);
      const [, receiver] = /^func\s*(\([^)]*\))\s*\w/.exec(oldText) ?? [];
      if (receiver !== undefined && /^func\s+\w/.test(text))
        return text.replace(/^func\s+/, `func ${receiver} `);
      if (!keyword.test(oldText) && keyword.test(text)) return text.replace(keyword, '');
      const [lost] = keyword.exec(oldText) ?? [];
      if (lost !== undefined && old.kind !== 'group' && !keyword.test(text)) return lost + text;
    }
    return text;
  }

  /** As a new one, with its comments, at `indent`. */
  fresh(definition: Definition, indent: string): string {
    const move = this.moveTo(definition, indent);
    const head = this.#adopt(definition.decoratorsStart, definition.exportStart, move);
    const exported = this.#file.isModule
      ? this.#adopt(definition.exportStart, definition.bareStart, move)
      : '';
    return (
      this.commentsOf(definition, move) +
      head +
      exported +
      this.#adopt(definition.bareStart, definition.end, move)
    );
  }

  /** A part of the block as it stands in the file when its first line is at `indent`. */
  part(from: number, to: number, indent: string): string {
    return this.#adopt(from, to, this.#move(indentAt(this.#block.text, from), indent));
  }

  moveTo(definition: Definition, indent: string): Move {
    const move = this.#move(indentAt(this.#block.text, definition.bareStart), indent);
    return { ...move, written: unitIn(this.#block.text, definition) ?? move.written };
  }

  #move(from: string, to: string): Move {
    return { from, to, written: this.#unit, file: this.#fileUnit };
  }

  #adopt(from: number, to: number, move: Move): string {
    const { text, source } = this.#block;
    const lines = text.slice(from, to).split('\n');
    const first = this.#rowAt(from);
    return lines
      .map((line, index) => {
        if (index === 0 || source.stringLines.has(first + index)) return line;
        if (line.trim() === '' && index < lines.length - 1) return line;
        const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
        return movedIndent(indent, move) + line.slice(indent.length);
      })
      .join('\n');
  }

  #rowAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
