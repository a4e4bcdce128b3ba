/** The outcome of reading a source file: plain data, so that the syntax tree behind it can be freed at once. */
import type { Language } from './languages.ts';

/** Offsets into the text, in UTF-16 units; `end` is the first one after. */
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
 * How a definition is written, where that decides what can stand for it: a declaration of its own; a name with a value
 * (`const f = …`, `exports.f = …`); a member of an object with a value (`f: …`); a method (`f() {}`); a field.
 */
export type DefinitionForm = 'declaration' | 'variable' | 'assignment' | 'pair' | 'method' | 'field';

export interface Definition extends Span {
  name: string;
  /** All names that it gives, `name` first. */
  names: readonly string[];
  kind: DefinitionKind;
  form: DefinitionForm;
  /** Names of what it stands in, joined by dots; also the receiver's type in Go, the type of an `impl` in Rust. */
  container?: string;
  /** In the order of the text: comments from `start`, decorators, `export`, and the definition itself up to `end`. */
  decoratorsStart: number;
  exportStart: number;
  bareStart: number;
  /** The assigned value, for the forms that have one. */
  value?: Span;
  /** Inside of the braces, or the indented block. */
  body?: Span;
  /** From 1, comments and decorators included. */
  startLine: number;
  endLine: number;
  /** The declaration without its body, on one line. */
  signature: string;
  /** Parameters as written, white space folded. */
  parameters?: string;
  /** The difference between definitions of one name besides their parameters: `get`, `set`, `static`, a type's trait. */
  variant?: string;
  /** Whether there is a body: an overload or a prototype has none. */
  hasBody: boolean;
  /** The separator of its members. */
  separator: '' | ',';
  /** Its members, where it is a container; in order. */
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
  /** Lines (from 0) that begin inside of a string: their white space is content. */
  stringLines: ReadonlySet<number>;
}
