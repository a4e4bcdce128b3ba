/** Declares the input and the parts of a brief. */
import type { Essence } from '../../parsing/test-output/types.ts';

/** The parts of a task from which the relevant files are determined. */
export interface BriefTask {
  description: string;
  file_hints?: readonly (string | { path: string })[];
  success_criteria?: readonly (string | { description: string })[];
  may_change_checks?: boolean | readonly string[];
}

/** Outcome of a check on the base. */
export interface BaseCheck {
  name: string;
  passed: boolean;
  essence: Essence;
}

export type ShownExtent = 'whole' | 'definitions' | 'named';

export interface BriefFile {
  path: string;
  extent: ShownExtent;
  /** Encoding of the file; undefined for UTF-8. */
  encoding?: string;
}

export interface Brief {
  /** Text for the model; empty if nothing was found. */
  text: string;
  /** Files in order of relevance. `named`: the brief contains only the name, for lack of tokens. */
  files: BriefFile[];
  /** Estimated number of tokens, rather too high than too low. */
  tokens: number;
  /** Whether no file was found that is related to the task. */
  isEmpty: boolean;
}

/** The files of a tree. Paths are relative and separated by `/`. Files outside of the tree are not read. */
export interface TreeFiles {
  /** Lists the regular files, sorted. The same tree gives the same list. */
  list(): Promise<string[]>;
  /** Reads a text. Returns undefined if the file is missing, too large, not a text, or a pointer of Git LFS. */
  read(path: string): string | undefined;
  /**
   * Returns the files that may contain one of the texts, much faster than reading all of a large tree. Returns undefined if this tree
   * cannot be searched.
   */
  search?(texts: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** Returns the encoding of a file that was read before, unless it is UTF-8. */
  encoding?(path: string): string | undefined;
}
