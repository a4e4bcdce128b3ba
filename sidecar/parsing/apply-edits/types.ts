/** Types of the input and the outcome of applying an answer. */
import type { SyntaxProblem } from '../definitions/types.ts';

/** The files of the workspace as an answer may read and change them. Nothing is written: the caller writes the outcome. */
export interface ApplyContext {
  /** Returns the text of a file by its path in the workspace, or undefined if there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Returns the reason why an existing file cannot be read, as the end of a sentence "the file …". By default all files can be read. */
  unreadableReasonOf?(path: string): Promise<string | undefined>;
  /** Paths of the files that the model was shown, the most relevant first. */
  shownPaths: readonly string[];
  /** Returns whether the task names the file, existing or not. If a change fits several files, it is applied to the named one. */
  isNamed?(path: string): boolean;
  /** Returns whether an existing file may be changed; false for tests and check scripts. */
  mayChange(path: string): boolean;
}

export interface AnswerBlock {
  /** Text behind the opening fence, on the same line. */
  info: string;
  text: string;
  /** Prose between the previous block and this one. */
  precedingProse: string;
  /** Whether the block has an end; false if the answer ends inside it. */
  closed: boolean;
}

export interface ChangedFile {
  path: string;
  /** Text before the answer; undefined for a new file. */
  before?: string | undefined;
  /** Text after the answer; undefined for a deleted file. */
  after: string | undefined;
  /** Earlier path of a moved file. */
  from?: string;
}

export interface OmittedPart {
  path?: string;
  /** First lines of the omitted part. */
  excerpt: string;
  reason: string;
  /**
   * Kind of the omitted part. `example`: code that only uses the definitions. `protected`: a file that may not be changed. `loss`: any
   * other part.
   */
  kind: 'example' | 'protected' | 'loss';
}

/**
 * Rule by which a block counts as a whole file. `as written`: if it has the file's first line and half of its lines. `merged`: never; every
 * block is a part. `whole files`: if it has the first line or half of the lines.
 */
export type BlockReading = 'as written' | 'merged' | 'whole files';

/** A possible reading of an answer, as changes of files. */
export interface AnswerCandidate {
  reading: BlockReading;
  /** Files whose content changes. */
  files: readonly ChangedFile[];
  omittedParts: readonly OmittedPart[];
  /** Syntax errors in the changed files that they did not have before. */
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
