/** The input and the parts of a brief. */
import type { Essence } from '../essence/types.ts';

/** The parts of a task that decide which files matter. */
export interface BriefTask {
  description: string;
  file_hints?: readonly (string | { path: string })[];
  success_criteria?: readonly (string | { description: string })[];
  may_change_checks?: boolean | readonly string[];
}

/** A check as it ended on the base. */
export interface BaseCheck {
  name: string;
  passed: boolean;
  essence: Essence;
}

export type Shown = 'whole' | 'definitions' | 'named';

export interface BriefFile {
  path: string;
  shown: Shown;
  /** Where it is not UTF-8. */
  encoding?: string;
}

export interface Brief {
  /** For the model; empty where nothing was found. */
  text: string;
  /** The files that are shown, in order of weight. `named`: only its name, because there was no room. */
  files: BriefFile[];
  /** Estimated, on the high side. */
  tokens: number;
  /** No file was found that has to do with the task. */
  isEmpty: boolean;
}

/** The files of a tree. Paths are relative, with `/`; nothing outside of the tree is ever read. */
export interface TreeFiles {
  /** Regular files, sorted; the same for the same tree. */
  list(): Promise<string[]>;
  /** The text; undefined for what is no text, too large, a pointer of Git LFS, or gone. */
  read(path: string): string | undefined;
  /** The encoding of a file that was read and is not UTF-8. */
  encoding?(path: string): string | undefined;
}
