/** Types of a source file that was read. They are plain data, so that the syntax tree can be freed immediately. */
import type { Span } from '../../base/values/span.ts';
import type { Language } from './languages.ts';

export type DefinitionKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'module'
  | 'object'
  | 'constant'
  | 'property'
  | 'group'
  | 'call';

/**
 * Syntactic form of a definition, which limits the definitions that can replace it: a declaration; a name with a value (`const f = …`,
 * `exports.f = …`); a pair of an object (`f: …`); a method (`f() {}`); a field.
 */
export type DefinitionForm = 'declaration' | 'variable' | 'assignment' | 'pair' | 'method' | 'field';

export interface Definition extends Span {
  name: string;
  /** All names that the statement defines; `name` is the first. */
  names: readonly string[];
  kind: DefinitionKind;
  form: DefinitionForm;
  /** Names of the enclosing definitions, joined by dots. For Go, the type of the receiver; for Rust, the type of the `impl`. */
  container?: string;
  /** Position at which decorators start. The comments before them start at `start`. */
  decoratorsStart: number;
  /** Position at which `export` starts, after the decorators. */
  exportStart: number;
  /** Position at which the definition itself starts, after `export`. It extends up to `end`. */
  startAfterExport: number;
  /** Assigned value, if the form has one. */
  value?: Span;
  /** Content of the definition: text between the braces, or the indented block. */
  body?: Span;
  /** Number of the first line, from 1, including comments and decorators. */
  startLine: number;
  endLine: number;
  /** Declaration without its body, on one line. */
  signature: string;
  /** Parameters as written, with each run of white space replaced by one space. */
  parameters?: string;
  /**
   * Distinguishes definitions with the same name, in addition to their parameters: `get`, `set`, `static`,
   * the trait of a type.
   */
  variant?: string;
  /** Whether the definition has a body; false for an overload or a prototype. */
  hasBody: boolean;
  /** Text that separates members of the definition. */
  separator: '' | ',';
  /** Members of a container and the statements between them, in order. */
  items: readonly SourceItem[];
  /** Members of a container, or functions and classes nested in a body. */
  children: readonly Definition[];
}

/** Role of a statement that defines no name. */
export type StatementRole = 'exports' | 'main' | 'call' | 'package' | 'documentation' | 'other';

export type SourceItem =
  | { type: 'definition'; definition: Definition }
  | ({ type: 'import' } & Span)
  | ({ type: 'statement'; role: StatementRole } & Span)
  | ({ type: 'comment' } & Span);

export interface SyntaxProblem {
  /** Number of the line, from 1. */
  line: number;
  text: string;
}

export interface SourceFile {
  language: Language;
  /** Items of the top level, in the order of the text. */
  items: readonly SourceItem[];
  definitions: readonly Definition[];
  problems: readonly SyntaxProblem[];
  /** Numbers of the lines, from 0, that begin inside a string. Their leading white space is part of the string. */
  stringLines: ReadonlySet<number>;
}
