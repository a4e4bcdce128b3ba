/**
 * Renders a definition of the answer for its place in the file: with the file's indentation and form, and
 * with the comments, decorators and `export` that the answer omits.
 */
import type { Definition } from '../definitions/index.ts';
import { indentOf } from '../editing/folding.ts';
import { shiftIndent, unitOf, type Unit } from '../editing/reindent.ts';
import type { CodeBlock } from './code-block.ts';
import { isMark } from './marks.ts';
import type { Sides } from './sides.ts';

/** Returns the indentation of the line at `offset`. */
export const indentAt = (text: string, offset: number): string =>
  indentOf(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));

/** Change of indentation from the block to the file. */
interface IndentChange {
  /** Indentation of the first line, in the block and in the file. */
  from: string;
  to: string;
  /** One level of indentation, in the block and in the file. */
  written: Unit | undefined;
  file: Unit | undefined;
}

export class Renderer {
  readonly #block: CodeBlock;
  readonly #text: string;
  /** Whether the file is a module that may use `export`. */
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

  /** Returns the text that replaces the file from `old.start` on, including comments. */
  renderReplacement(definition: Definition, old: Definition): string {
    const core = this.#adopt(
      definition,
      'bareStart',
      'end',
      this.#moveOf(definition, indentAt(this.#text, old.bareStart)),
    );
    return (
      this.prefixFor(definition, old) +
      (this.#block.source.language === 'go' ? this.#adaptGo(core, old) : core)
    );
  }

  /** Returns the comments, decorators and `export` for the place of `old`. */
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

  /** Renders a new definition, with its comments, at `indent`. */
  renderNew(definition: Definition, indent: string): string {
    const move = this.#moveOf(definition, indent);
    return (
      this.#commentsOf(definition, move) +
      this.#adopt(definition, 'decoratorsStart', 'exportStart', move) +
      this.#exportOf(definition, move) +
      this.#adopt(definition, 'bareStart', 'end', move)
    );
  }

  #exportOf(definition: Definition, move: IndentChange): string {
    return this.#isModule ? this.#adopt(definition, 'exportStart', 'bareStart', move) : '';
  }

  /** Returns the comments above a definition, without elision marks. */
  #commentsOf(definition: Definition, move: IndentChange): string {
    const lines = this.#adopt(definition, 'start', 'decoratorsStart', move).split('\n');
    const last = lines.pop() ?? '';
    const comments = lines.filter((line) => !isMark(line));
    return comments.length === 0 ? '' : [comments.join('\n').trimStart(), last].join('\n');
  }

  /** Adds the receiver if the answer omits it, and adapts `const`, `var` or `type` to the place. */
  #adaptGo(core: string, old: Definition): string {
    const oldText = this.#text.slice(old.bareStart, old.end);
    const keyword = /^(?:const|var|type)\s+/u;
    const [, receiver] = /^func\s*(\([^)]*\))\s*\w/u.exec(oldText) ?? [];
    if (receiver !== undefined && /^func\s+\w/u.test(core))
      return core.replace(/^func\s+/u, `func ${receiver} `);
    const [lost = ''] = keyword.exec(oldText) ?? [];
    if (lost === '') return core.replace(keyword, '');
    return old.kind === 'group' || keyword.test(core) ? core : lost + core;
  }

  #moveOf(definition: Definition, to: string): IndentChange {
    const { text } = this.#block;
    const written = unitIn(text, definition) ?? this.#written;
    return { from: indentAt(text, definition.bareStart), to, written, file: this.#file };
  }

  #adopt(
    definition: Definition,
    from: 'start' | 'decoratorsStart' | 'exportStart' | 'bareStart',
    to: 'decoratorsStart' | 'exportStart' | 'bareStart' | 'end',
    move: IndentChange,
  ): string {
    const { text } = this.#block;
    const above = text.slice(definition.start, definition[from]).split('\n').length - 1;
    return this.#reindentLines(
      text.slice(definition[from], definition[to]),
      move,
      definition.startLine + above,
    );
  }

  /** Re-indents the lines, except lines inside a string. `firstLine` counts from 1. */
  #reindentLines(text: string, { from, to, written, file }: IndentChange, firstLine: number): string {
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
            : shiftIndent(indent, { old: from, file: to }, units);
        return moved + line.slice(indent.length);
      })
      .join('\n');
  }
}

/** Returns the indentation unit of one definition. A text may mix several units. */
const unitIn = (text: string, { start, end }: Definition): Unit | undefined =>
  unitOf(text.slice(text.lastIndexOf('\n', start) + 1, end).split('\n'));

const usesCommonJs = (text: string): boolean =>
  /^[^\S\n]*(module\.)?exports\b|\brequire\s{0,5}\(/m.test(text) && !/^(import|export)\b/m.test(text);
