/** Types of the input and the outcome of applying an answer. */
import type { SyntaxProblem } from '../definitions/types.ts';

/** Files that an answer may change. Nothing is written: the caller writes the outcome. */
export interface ApplyContext {
  /** Returns the text of a file by its path in the workspace, or undefined if there is no such file. */
  read(path: string): Promise<string | undefined>;
  /**
   * Returns the reason why an existing file cannot be read, to complete "the file …". By default all files
   * can be read.
   */
  unreadableReasonOf?(path: string): Promise<string | undefined>;
  /** Paths of the files shown to the model, the most relevant first. */
  shownPaths: readonly string[];
  /**
   * Returns whether the task names the file, existing or not. If a change fits several files, the named file is meant.
   */
  isNamed?(path: string): boolean;
  /** Reports whether an existing file may be changed: false for tests and check scripts. */
  mayChange(path: string): boolean;
}

export interface AnswerBlock {
  /** Text after the opening fence. */
  info: string;
  text: string;
  /** Prose since the previous block. */
  precedingProse: string;
  /** False if the answer ends inside the block. */
  closed: boolean;
}

export interface ChangedFile {
  path: string;
  /** Undefined for a new file. */
  before?: string | undefined;
  /** Undefined for a deleted file. */
  after: string | undefined;
  /** Path before a move. */
  from?: string;
}

export interface OmittedPart {
  path?: string;
  /** First lines of the text. */
  excerpt: string;
  reason: string;
  /**
   * `example`: code that only uses the definitions. `protected`: a file that may not be changed. `loss`: any
   * other part.
   */
  kind: 'example' | 'protected' | 'loss';
}

/**
 * How to read the blocks of an answer. `as written`: a block with a file's first line and half of its lines
 * is the whole file, any other block is a part. `merged`: every block is a part. `whole files`: a block with
 * the first line or half of the lines is the whole file.
 */
export type BlockReading = 'as written' | 'merged' | 'whole files';

/** One reading of an answer as changes of files. */
export interface AnswerCandidate {
  reading: BlockReading;
  /** Only files whose content changes. */
  files: readonly ChangedFile[];
  omittedParts: readonly OmittedPart[];
  /** Syntax errors that the files did not have before. */
  problems: readonly (SyntaxProblem & { path: string })[];
}

const EXCERPT_LINES = 4;
const EXCERPT_CHARS = 300;

export function createOmittedPart(
  text: string,
  reason: string,
  kind: OmittedPart['kind'] = 'loss',
): OmittedPart {
  const lines = text.trim().slice(0, EXCERPT_CHARS).split('\n');
  const excerpt = lines.length > EXCERPT_LINES ? [...lines.slice(0, EXCERPT_LINES), '…'] : lines;
  return { excerpt: excerpt.join('\n'), reason, kind };
}
