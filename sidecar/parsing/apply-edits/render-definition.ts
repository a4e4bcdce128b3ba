/**
 * Renders a definition of the answer for its place in the file: with the indentation and the form of the file, and with comments,
 * decorators and `export` that the answer omits.
 */
import type { Definition } from '../definitions/index.ts';
import { indentOf } from '../editing/folding.ts';
import { shiftIndent, unitOf, type IndentUnit } from '../editing/reindent.ts';
import type { CodeBlock } from './code-block.ts';
import { isElisionMark } from './elision-marks.ts';
import type { MergeContext } from './merge-context.ts';

/** Returns the indentation of the line at `offset`. */
export const indentAt = (text: string, offset: number): string =>
  indentOf(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));

/** Change of indentation from the block to the file. */
interface IndentChange {
  /** Indentation of the definition's first line in the block. */
  from: string;
  /** Indentation of the definition's first line in the file. */
  to: string;
  /** One level of indentation in the block. */
  blockUnit: IndentUnit | undefined;
  /** One level of indentation in the file. */
  fileUnit: IndentUnit | undefined;
}

export class DefinitionRenderer {
  readonly #block: CodeBlock;
  readonly #text: string;
  /** Whether the file is a module, in which `export` is allowed. */
  readonly #isModule: boolean;
  readonly #blockUnit: IndentUnit | undefined;
  readonly #fileUnit: IndentUnit | undefined;

  constructor({ block, text }: MergeContext) {
    this.#block = block;
    this.#text = text;
    this.#isModule = !usesCommonJs(text);
    this.#blockUnit = unitOf(block.text.split('\n'));
    this.#fileUnit = unitOf(text.split('\n'));
  }

  /** Returns the text that replaces `old` in the file, including its comments. */
  renderReplacement(definition: Definition, old: Definition): string {
    const core = this.#renderRange(
      definition,
      'startAfterExport',
      'end',
      this.#indentChangeOf(definition, indentAt(this.#text, old.startAfterExport)),
    );
    return (
      this.renderPrefix(definition, old) +
      (this.#block.source.language === 'go' ? this.#adaptGo(core, old) : core)
    );
  }

  /** Returns the comments, decorators and `export` that stand before the definition in place of `old`. */
  renderPrefix(definition: Definition, old: Definition): string {
    const move = this.#indentChangeOf(definition, indentAt(this.#text, old.startAfterExport));
    const decorators = this.#renderRange(definition, 'decoratorsStart', 'exportStart', move);
    const exported = this.#text.slice(old.exportStart, old.startAfterExport);
    return (
      (this.#renderComments(definition, move) || this.#text.slice(old.start, old.decoratorsStart)) +
      (decorators || this.#text.slice(old.decoratorsStart, old.exportStart)) +
      (exported || this.#renderExport(definition, move))
    );
  }

  /** Renders a new definition, with its comments, at the indentation `indent`. */
  renderNew(definition: Definition, indent: string): string {
    const move = this.#indentChangeOf(definition, indent);
    return (
      this.#renderComments(definition, move) +
      this.#renderRange(definition, 'decoratorsStart', 'exportStart', move) +
      this.#renderExport(definition, move) +
      this.#renderRange(definition, 'startAfterExport', 'end', move)
    );
  }

  #renderExport(definition: Definition, move: IndentChange): string {
    return this.#isModule ? this.#renderRange(definition, 'exportStart', 'startAfterExport', move) : '';
  }

  /** Returns the comments above a definition, without elision marks. */
  #renderComments(definition: Definition, move: IndentChange): string {
    const lines = this.#renderRange(definition, 'start', 'decoratorsStart', move).split('\n');
    const last = lines.pop() ?? '';
    const comments = lines.filter((line) => !isElisionMark(line));
    return comments.length === 0 ? '' : [comments.join('\n').trimStart(), last].join('\n');
  }

  /** Adds the receiver of a Go method if the answer omits it, and adapts `const`, `var` or `type` to the place. */
  #adaptGo(core: string, old: Definition): string {
    const oldText = this.#text.slice(old.startAfterExport, old.end);
    const keyword = /^(?:const|var|type)\s+/u;
    const [, receiver] = /^func\s*(\([^)]*\))\s*\w/u.exec(oldText) ?? [];
    if (receiver !== undefined && /^func\s+\w/u.test(core))
      return core.replace(/^func\s+/u, `func ${receiver} `);
    const [keywordText = ''] = keyword.exec(oldText) ?? [];
    if (keywordText === '') return core.replace(keyword, '');
    return old.kind === 'group' || keyword.test(core) ? core : keywordText + core;
  }

  #indentChangeOf(definition: Definition, to: string): IndentChange {
    const { text } = this.#block;
    const blockUnit = findIndentUnit(text, definition) ?? this.#blockUnit;
    return { from: indentAt(text, definition.startAfterExport), to, blockUnit, fileUnit: this.#fileUnit };
  }

  #renderRange(
    definition: Definition,
    from: 'start' | 'decoratorsStart' | 'exportStart' | 'startAfterExport',
    to: 'decoratorsStart' | 'exportStart' | 'startAfterExport' | 'end',
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

  /** Re-indents lines, except those that begin inside a string. `firstLine`: number of the first line, from 1. */
  #reindentLines(text: string, { from, to, blockUnit, fileUnit }: IndentChange, firstLine: number): string {
    const oldUnit = blockUnit ?? fileUnit ?? { text: '  ', columns: 2 };
    const units = { old: oldUnit, file: fileUnit ?? oldUnit };
    const isSame = units.old.text === units.file.text;
    const lines = text.split('\n');
    return lines
      .map((line, index) => {
        const isContent = this.#block.source.stringLines.has(firstLine - 1 + index);
        if (index === 0 || isContent || (line.trim() === '' && index < lines.length - 1)) return line;
        const indent = indentOf(line);
        const newIndent =
          isSame && indent.startsWith(from)
            ? to + indent.slice(from.length)
            : shiftIndent(indent, { old: from, file: to }, units);
        return newIndent + line.slice(indent.length);
      })
      .join('\n');
  }
}

/** Returns the indentation unit of one definition, since a text may mix several units. */
const findIndentUnit = (text: string, { start, end }: Definition): IndentUnit | undefined =>
  unitOf(text.slice(text.lastIndexOf('\n', start) + 1, end).split('\n'));

const usesCommonJs = (text: string): boolean =>
  /^[^\S\n]*(module\.)?exports\b|\brequire\s{0,5}\(/m.test(text) && !/^(import|export)\b/m.test(text);
