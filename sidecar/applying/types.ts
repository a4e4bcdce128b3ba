/** The input and the outcome of applying an answer. */
import type { SyntaxProblem } from '../definitions/types.ts';

/** Where an answer goes. Nothing is written: the caller does that with what comes back. */
export interface ApplyingContext {
  /** The file's text, relative to the workspace; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Why a file that exists has no text that could be read; completes "the file …". By default all can be read. */
  whyUnreadable?(path: string): Promise<string | undefined>;
  /** Paths of the files that the model saw, the most relevant first. */
  shown: readonly string[];
  /** Whether the task names a file, be it there or not: where a change fits several files, one of these is meant. */
  isNamed?(path: string): boolean;
  /** Whether a file that is there may become another: false for tests and check scripts. */
  mayChange(path: string): boolean;
}

/** A code block of an answer. */
export interface AnswerBlock {
  /** All that stands behind the opening fence. */
  info: string;
  text: string;
  /** The prose since the block before. */
  before: string;
  /** False when the answer ended in the middle of it. */
  closed: boolean;
}

export interface ChangedFile {
  path: string;
  /** Undefined for a new file. */
  before?: string | undefined;
  /** Undefined for a file that goes. */
  after: string | undefined;
  /** The file that this one was until it was moved. */
  from?: string;
}

export interface LeftOut {
  path?: string;
  /** The first lines of it. */
  excerpt: string;
  reason: string;
  /** `example`: code that only uses what was defined; `protected`: a file that may not be changed. */
  kind: 'example' | 'protected' | 'loss';
}

/**
 * How the blocks of an answer are read. `as written`: a block that holds a file's beginning and half of its lines is that
 * file, any other one is a part of it. `merged`: every block is a part, and what it leaves out stays. `whole files`: a block
 * that holds the beginning or half of the lines is the file.
 */
export type Reading = 'as written' | 'merged' | 'whole files';

/** One reading of an answer as a change of files. */
export interface Candidate {
  reading: Reading;
  /** Only files that become another. */
  files: readonly ChangedFile[];
  leftOut: readonly LeftOut[];
  /** Syntax errors that the files had not before. */
  problems: readonly (SyntaxProblem & { path: string })[];
}

const EXCERPT_LINES = 4;
const EXCERPT_CHARS = 300;

export function leftOut(text: string, reason: string, kind: LeftOut['kind'] = 'loss'): LeftOut {
  const lines = text.trim().slice(0, EXCERPT_CHARS).split('\n');
  const excerpt = lines.length > EXCERPT_LINES ? [...lines.slice(0, EXCERPT_LINES), '…'] : lines;
  return { excerpt: excerpt.join('\n'), reason, kind };
}
