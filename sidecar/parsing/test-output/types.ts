/** The essence of a check's output, whichever runner printed it. */

/** A line of a file; `path` is relative to the workspace. */
export interface Place {
  path: string;
  line: number;
}

/** One failing test. */
export interface FailedTest {
  name: string;
  /** The test's own place. */
  place?: Place | undefined;
  expected?: string | undefined;
  actual?: string | undefined;
  message?: string | undefined;
  /** The first frame of the stack inside of the workspace. */
  frame?: Place | undefined;
}

/** An error that kept tests from running, or one of a compiler or linter. */
export interface OutputError {
  message: string;
  place?: Place | undefined;
}

/** The results of one runner in an output. */
export interface Reading {
  /** Number of passing tests, if the output has it. */
  passed?: number | undefined;
  failed: FailedTest[];
  errors: OutputError[];
  /** Names of passing tests, as far as the output has them, written like failing ones; several may be equal. */
  passing: string[];
  /** Number of skipped tests, if the output counts them. */
  skipped: number;
}

export interface Essence extends Reading {
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

/** Reads the output of one runner, in time linear in the output. */
export interface Reader {
  runner: string;
  /** Matches a line that only this runner prints. */
  mark: RegExp;
  read(input: ReaderInput): Reading;
}

export interface WorkspacePaths {
  /** Returns the path relative to the workspace; undefined for one of a runtime or a package. */
  relative(path: string): string | undefined;
  /** Returns the place named by `path:line` parts; undefined as for `relative`. */
  place(path: string | undefined, line: string | undefined): Place | undefined;
  /** Returns the first place of the workspace that a stack frame among these lines names. */
  firstFrame(lines: readonly string[]): Place | undefined;
  /** Removes the workspace's absolute path from a text. */
  shorten(text: string): string;
  /** Reports whether there is such a file; undefined if that is unknown. */
  isFile(path: string): boolean | undefined;
}
