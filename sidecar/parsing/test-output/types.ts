/** Types of the essence of a check's output, independent of the runner. */

/** A line of a file. `path` is relative to the workspace. */
export interface FilePlace {
  path: string;
  line: number;
}

/** A failing test. */
export interface FailedTest {
  name: string;
  /** Place at which the test itself is defined. */
  place?: FilePlace | undefined;
  expected?: string | undefined;
  actual?: string | undefined;
  message?: string | undefined;
  /** First stack frame whose file is in the workspace. */
  frame?: FilePlace | undefined;
}

/** An error that prevented tests from running, or an error of a compiler or a linter. */
export interface OutputError {
  message: string;
  place?: FilePlace | undefined;
}

/** Results of one runner, as read from an output. */
export interface OutputReading {
  /** Number of passing tests, if the output has it. */
  passed?: number | undefined;
  failed: FailedTest[];
  errors: OutputError[];
  /** Names of passing tests, if the output has them, in the same form as names of failing tests. Names may repeat. */
  passing: string[];
  /** Number of skipped tests that the output reports. */
  skipped: number;
}

export interface Essence extends OutputReading {
  /** Name of the runner, such as `node:test` or `pytest`. Several names are joined with `, `. `other` means a program without a reader. */
  runner: string;
  /** Text for models and users. Its paths are relative, and it does not differ between runs of the same code. */
  text: string;
}

/** Input of a reader: clean lines, and the paths of the workspace. */
export interface ReaderInput {
  lines: readonly string[];
  paths: OutputPaths;
}

/** Reads the output of one runner, in time linear in the output. */
export interface OutputReader {
  runner: string;
  /** Matches a line that only this runner prints. */
  mark: RegExp;
  read(input: ReaderInput): OutputReading;
}

export interface OutputPaths {
  /** Returns the path relative to the workspace; undefined for a path of a runtime or of a package. */
  toRelative(path: string): string | undefined;
  /** Returns the place for a path and a line number of an output; undefined if `toRelative` returns undefined for the path. */
  placeOf(path: string | undefined, line: string | undefined): FilePlace | undefined;
  /** Returns the place of the first stack frame among these lines whose file is in the workspace. */
  findFirstFrame(lines: readonly string[]): FilePlace | undefined;
  /** Makes absolute paths of the workspace in a text relative. */
  shortenPaths(text: string): string;
  /** Returns whether the file exists; undefined if that is unknown. */
  isFile(path: string): boolean | undefined;
}
