/**
 * A definition of the answer as it is to stand in the file: in the file's indentation, in the form that its place
 * asks for, with the comments, decorators and `export` that the answer left out.
 */
import type { Definition } from '../definitions/index.ts';
import { indentOf } from '../tools/editing/folding.ts';
import { movedIndent, unitOf, type Unit } from '../tools/editing/reindent.ts';
import type { CodeBlock } from './code-block.ts';
import { isMark } from './marks.ts';
import type { Sides } from './sides.ts';

/** The white space that the line of `offset` begins with. */
export const indentAt = (text: string, offset: number): string =>
  indentOf(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));

/** Where lines of the block go. */
interface Move {
  /** Indentation of the first line as written, and in the file. */
  from: string;
  to: string;
  /** One level of it, in both. */
  written: Unit | undefined;
  file: Unit | undefined;
}

export class Renderer {
  readonly #block: CodeBlock;
  readonly #text: string;
  /** Whether `export` may be written in the file. */
  readonly #isModule: boolean;
  readonly #written: Unit | undefined;
  readonly #file: Unit | undefined;

  constructor({ block, text }: Sides) {
    this.#block = block;
    this.#text = text;
    this.#isModule = !usesCommonJs(text);
    this.#written = unitOf(block.text.split('\n'));
    this.#file = unitOf(text.split('\n'));
  }

  /** The text from its first comment on that takes the place of `old`, which begins at `old.start`. */
  replacing(definition: Definition, old: Definition): string {
    const core = this.#adopt(
      definition,
      'bareStart',
      'end',
      this.#moveOf(definition, indentAt(this.#text, old.bareStart)),
    );
    return (
      this.prefixFor(definition, old) +
      (this.#block.source.language === 'go' ? this.#asInGo(core, old) : core)
    );
  }

  /** Comments, decorators and `export` for the place of `old`. */
  prefixFor(definition: Definition, old: Definition): string {
    const move = this.#moveOf(definition, indentAt(this.#text, old.bareStart));
    const decorators = this.#adopt(definition, 'decoratorsStart', 'exportStart', move);
    const exported = this.#text.slice(old.exportStart, old.bareStart);
    return (
      (this.#commentsOf(definition, move) || this.#text.slice(old.start, old.decoratorsStart)) +
      (decorators || this.#text.slice(old.decoratorsStart, old.exportStart)) +
      (exported || this.#exportOf(definition, move))
    );
  }

  /** As a new one, with its comments, at `indent`. */
  fresh(definition: Definition, indent: string): string {
    const move = this.#moveOf(definition, indent);
    return (
      this.#commentsOf(definition, move) +
      this.#adopt(definition, 'decoratorsStart', 'exportStart', move) +
      this.#exportOf(definition, move) +
      this.#adopt(definition, 'bareStart', 'end', move)
    );
  }

  #exportOf(definition: Definition, move: Move): string {
    return this.#isModule ? this.#adopt(definition, 'exportStart', 'bareStart', move) : '';
  }

  /** The comments above it, without marks. */
  #commentsOf(definition: Definition, move: Move): string {
    const lines = this.#adopt(definition, 'start', 'decoratorsStart', move).split('\n');
    const last = lines.pop() ?? '';
    const comments = lines.filter((line) => !isMark(line));
    return comments.length === 0 ? '' : [comments.join('\n').trimStart(), last].join('\n');
  }

  /** With the receiver that the answer leaves out, and a keyword where the place has one. */
  #asInGo(core: string, old: Definition): string {
    const oldText = this.#text.slice(old.bareStart, old.end);
    const keyword = /^(?:const|var|type)\s+/u;
    const [, receiver] = /^func\s*(\([^)]*\))\s*\w/u.exec(oldText) ?? [];
    if (receiver !== undefined && /^func\s+\w/u.test(core))
      return core.replace(/^func\s+/u, `func ${receiver} `);
    const [lost = ''] = keyword.exec(oldText) ?? [];
    if (lost === '') return core.replace(keyword, '');
    return old.kind === 'group' || keyword.test(core) ? core : lost + core;
  }

  #moveOf(definition: Definition, to: string): Move {
    const { text } = this.#block;
    const written = unitIn(text, definition) ?? this.#written;
    return { from: indentAt(text, definition.bareStart), to, written, file: this.#file };
  }

  #adopt(
    definition: Definition,
    from: 'start' | 'decoratorsStart' | 'exportStart' | 'bareStart',
    to: 'decoratorsStart' | 'exportStart' | 'bareStart' | 'end',
    move: Move,
  ): string {
    const { text } = this.#block;
    const above = text.slice(definition.start, definition[from]).split('\n').length - 1;
    return this.#lines(text.slice(definition[from], definition[to]), move, definition.startLine + above);
  }

  /** `firstLine` counts from 1. Lines that begin inside of a string stay as they are. */
  #lines(text: string, { from, to, written, file }: Move, firstLine: number): string {
    const old = written ?? file ?? { text: '  ', columns: 2 };
    const units = { old, file: file ?? old };
    const isSame = units.old.text === units.file.text;
    const lines = text.split('\n');
    return lines
      .map((line, index) => {
        const isContent = this.#block.source.stringLines.has(firstLine - 1 + index);
        if (index === 0 || isContent || (line.trim() === '' && index < lines.length - 1)) return line;
        const indent = indentOf(line);
        const moved =
          isSame && indent.startsWith(from)
            ? to + indent.slice(from.length)
            : movedIndent(indent, { old: from, file: to }, units);
        return moved + line.slice(indent.length);
      })
      .join('\n');
  }
}

/** One text may be indented in several ways: a definition shows its own. */
const unitIn = (text: string, { start, end }: Definition): Unit | undefined =>
  unitOf(text.slice(text.lastIndexOf('\n', start) + 1, end).split('\n'));

const usesCommonJs = (text: string): boolean =>
  /^[^\S\n]*(module\.)?exports\b|\brequire\s{0,5}\(/m.test(text) && !/^(import|export)\b/m.test(text);
