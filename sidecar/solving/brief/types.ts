/** The input and the parts of a brief. */
import type { Essence } from '../../parsing/test-output/types.ts';

/** The parts of a task that decide which files matter. */
export interface BriefTask {
  description: string;
  file_hints?: readonly (string | { path: string })[];
  success_criteria?: readonly (string | { description: string })[];
  may_change_checks?: boolean | readonly string[];
}

/** The outcome of a check on the base. */
export interface BaseCheck {
  name: string;
  passed: boolean;
  essence: Essence;
}

export type Shown = 'whole' | 'definitions' | 'named';

export interface BriefFile {
  path: string;
  shown: Shown;
  /** The encoding, unless it is UTF-8. */
  encoding?: string;
}

export interface Brief {
  /** The text for the model; empty if nothing was found. */
  text: string;
  /** The shown files, in order of weight. `named`: only the name, for lack of tokens. */
  files: BriefFile[];
  /** Estimated, on the high side. */
  tokens: number;
  /** Whether no file related to the task was found. */
  isEmpty: boolean;
}

/** The files of a tree. Paths are relative, with `/`; nothing outside of the tree is read. */
export interface TreeFiles {
  /** Lists regular files, sorted; the same for the same tree. */
  list(): Promise<string[]>;
  /** Reads a text; undefined if the file is no text, too large, a pointer of Git LFS, or missing. */
  read(path: string): string | undefined;
  /** Returns the encoding of a file that was read and is not UTF-8. */
  encoding?(path: string): string | undefined;
}
