/** Types of a source file that was read: plain data, so that its syntax tree can be freed immediately. */
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
 * Syntactic form of a definition. It limits the definitions that can replace it: a declaration; a name with a
 * value (`const f = …`, `exports.f = …`); a pair of an object (`f: …`); a method (`f() {}`); a field.
 */
export type DefinitionForm = 'declaration' | 'variable' | 'assignment' | 'pair' | 'method' | 'field';

export interface Definition extends Span {
  name: string;
  /** All names that the definition defines, `name` first. */
  names: readonly string[];
  kind: DefinitionKind;
  form: DefinitionForm;
  /**
   * Names of the enclosing definitions, joined by dots. In Go, the type of the receiver; in Rust, the type of
   * the `impl`.
   */
  container?: string;
  /**
   * Start positions in the order of the text: comments at `start`, then decorators, `export`, and the
   * definition itself up to `end`.
   */
  decoratorsStart: number;
  exportStart: number;
  bareStart: number;
  /** Assigned value, if the form has one. */
  value?: Span;
  /** Text between the braces, or the indented block. */
  body?: Span;
  /** First line, from 1, including comments and decorators. */
  startLine: number;
  endLine: number;
  /** Declaration without its body, on one line. */
  signature: string;
  /** Parameters as written, with each run of white space as one space. */
  parameters?: string;
  /**
   * Distinguishes definitions with the same name, in addition to their parameters: `get`, `set`, `static`,
   * the trait of a type.
   */
  variant?: string;
  /** Whether there is a body. False for an overload or a prototype. */
  hasBody: boolean;
  /** Separator between the members. */
  separator: '' | ',';
  /** Members of a container, in order. */
  items: readonly SourceItem[];
  /** Members, or the functions and classes nested in a body. */
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
  /** Line number, from 1. */
  line: number;
  text: string;
}

export interface SourceFile {
  language: Language;
  /** Items of the top level, in order. */
  items: readonly SourceItem[];
  definitions: readonly Definition[];
  problems: readonly SyntaxProblem[];
  /** Lines (from 0) that begin inside a string. Their leading white space is content. */
  stringLines: ReadonlySet<number>;
}
