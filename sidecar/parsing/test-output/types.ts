/** Types of the essence of a check's output, independent of the runner. */

/** Line of a file; `path` is relative to the workspace. */
export interface FilePlace {
  path: string;
  line: number;
}

/** One failing test. */
export interface FailedTest {
  name: string;
  /** Place of the test itself. */
  place?: FilePlace | undefined;
  expected?: string | undefined;
  actual?: string | undefined;
  message?: string | undefined;
  /** First stack frame in the workspace. */
  frame?: FilePlace | undefined;
}

/** Error that prevented tests from running, or an error of a compiler or linter. */
export interface OutputError {
  message: string;
  place?: FilePlace | undefined;
}

/** Results of one runner in an output. */
export interface OutputReading {
  /** Number of passing tests, if the output has it. */
  passed?: number | undefined;
  failed: FailedTest[];
  errors: OutputError[];
  /** Names of passing tests, if the output has them, in the form of failing tests. Names may repeat. */
  passing: string[];
  /** Number of skipped tests, if the output counts them. */
  skipped: number;
}

export interface Essence extends OutputReading {
  /**
   * Name such as `node:test` or `pytest`. Several are joined with `, `; `other` is a program without a
   * reader.
   */
  runner: string;
  /** Text to show. Paths are relative, and nothing varies between runs of the same code. */
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
  /** Returns the path relative to the workspace, or undefined for a path of a runtime or a package. */
  toRelative(path: string): string | undefined;
  /** Returns the place given by the parts of `path:line`; undefined if `toRelative` returns undefined for the path. */
  placeOf(path: string | undefined, line: string | undefined): FilePlace | undefined;
  /** Returns the first place in the workspace that a stack frame among these lines names. */
  findFirstFrame(lines: readonly string[]): FilePlace | undefined;
  /** Removes the workspace's absolute path from a text. */
  shortenPaths(text: string): string;
  /** Returns whether the file exists; undefined if that is unknown. */
  isFile(path: string): boolean | undefined;
}
