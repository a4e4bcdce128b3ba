/** The outcome of reading a source file: plain data, so that its syntax tree can be freed at once. */
import type { Language } from './languages.ts';

/** Offsets into the text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

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
 * How a definition is written, as far as it decides what can replace it: a declaration; a name with a value (`const f = …`,
 * `exports.f = …`); a pair of an object (`f: …`); a method (`f() {}`); a field.
 */
export type DefinitionForm = 'declaration' | 'variable' | 'assignment' | 'pair' | 'method' | 'field';

export interface Definition extends Span {
  name: string;
  /** All names that it defines, `name` first. */
  names: readonly string[];
  kind: DefinitionKind;
  form: DefinitionForm;
  /** Names of the enclosing definitions, joined by dots; the receiver's type in Go, the type of an `impl` in Rust. */
  container?: string;
  /** In the order of the text: comments from `start`, decorators, `export`, the definition itself up to `end`. */
  decoratorsStart: number;
  exportStart: number;
  bareStart: number;
  /** The assigned value, if the form has one. */
  value?: Span;
  /** The text between the braces, or the indented block. */
  body?: Span;
  /** From 1, with comments and decorators. */
  startLine: number;
  endLine: number;
  /** The declaration without its body, on one line. */
  signature: string;
  /** Parameters as written, with white space folded. */
  parameters?: string;
  /** Distinguishes definitions of one name, in addition to their parameters: `get`, `set`, `static`, a type's trait. */
  variant?: string;
  /** False for an overload or a prototype. */
  hasBody: boolean;
  /** The separator of its members. */
  separator: '' | ',';
  /** The members of a container, in order. */
  items: readonly SourceItem[];
  /** Members, or functions and classes nested in a body. */
  children: readonly Definition[];
}

/** The kind of a statement that defines nothing. */
export type StatementRole = 'exports' | 'main' | 'call' | 'package' | 'documentation' | 'other';

export type SourceItem =
  | { type: 'definition'; definition: Definition }
  | ({ type: 'import' } & Span)
  | ({ type: 'statement'; role: StatementRole } & Span)
  | ({ type: 'comment' } & Span);

export interface SyntaxProblem {
  /** From 1. */
  line: number;
  text: string;
}

export interface SourceFile {
  language: Language;
  /** Top level, in order. */
  items: readonly SourceItem[];
  definitions: readonly Definition[];
  problems: readonly SyntaxProblem[];
  /** Lines (from 0) that begin inside a string, so that their white space is content. */
  stringLines: ReadonlySet<number>;
}
