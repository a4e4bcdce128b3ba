/** The essence of a check's output, whichever runner printed it. */

/** A line of a file; `path` is relative to the workspace. */
export interface Place {
  path: string;
  line: number;
}

/** One failing test. */
export interface FailedTest {
  name: string;
  /** Where the test stands. */
  place?: Place;
  expected?: string;
  actual?: string;
  message?: string;
  /** The first frame of the stack inside of the workspace. */
  frame?: Place;
}

/** An error that kept tests from running, or one of a compiler or linter. */
export interface OutputError {
  message: string;
  place?: Place;
}

/** The findings of one reader in an output. */
export interface Reading {
  /** Tests that pass, where the output says how many. */
  passed?: number | undefined;
  failed: FailedTest[];
  errors: OutputError[];
}

export interface Essence extends Reading {
  /** Names of passing tests, as far as the output has them; several tests may have the same. */
  passing: string[];
  /** Tests that were skipped, where the output counts them. */
  skipped: number;
  /** Such as `node:test`, `pytest`; several are joined with `, `, and `other` is any program without a reader. */
  runner: string;
  /** The text to show: paths are relative, nothing in it differs from run to run of the same code. */
  text: string;
}

/** A reader's input: clean lines, and how paths are written. */
export interface ReaderInput {
  lines: readonly string[];
  paths: WorkspacePaths;
}

/** Reads the output of one runner. `recognises` is asked first; both take time linear in the output. */
export interface Reader {
  runner: string;
  recognises(input: ReaderInput): boolean;
  read(input: ReaderInput): Reading;
}

export interface WorkspacePaths {
  /** The path relative to the workspace; undefined for one that is not of it: a runtime's, a package's. */
  relative(path: string): string | undefined;
  /** The place named by `path:line` parts; undefined as for `relative`. */
  place(path: string | undefined, line: string | undefined): Place | undefined;
  /** The first place of the workspace that a stack frame among these lines names. */
  firstFrame(lines: readonly string[]): Place | undefined;
  /** Text with the workspace's absolute path taken out of it. */
  shorten(text: string): string;
  /** Whether there is such a file; undefined where nobody can say. */
  isFile(path: string): boolean | undefined;
}
