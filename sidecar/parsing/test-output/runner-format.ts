/** Row of the table of runners. Patterns match one line; their named groups are the parts of the line. */
import type { FailedTest, OutputError, ReaderInput, OutputPaths } from './types.ts';

export interface RunnerFormat {
  runner: string;
  /** Matches a line that only this runner prints. */
  mark: RegExp;
  /** Returns the lines that replace a line before reading. */
  rewrite?: (line: string) => string[];
  /**
   * Matches the start of a line of counts, such as `2 failed, 1 passed` or `Tests: 3, Failures: 2`. Without
   * it, passing tests are counted.
   */
  totals?: RegExp;
  passing?: PassingPatterns;
  /** Separator between the titles of suites in a name. */
  separator?: string;
  failures?: FailurePatterns;
  /**
   * Patterns of errors of one line each. Groups: `line`, `message`, an optional `rule`, and `path`; without
   * `path`, the last file matched by `errorFile`.
   */
  errors?: readonly RegExp[] | ((input: ReaderInput) => OutputError[]);
  errorFile?: RegExp;
  /** Patterns of warnings, which count only if there are no errors. */
  warnings?: readonly RegExp[];
  /** Matches further lines of an error. */
  errorContinuation?: RegExp;
  /**
   * Matches the first and the last line of a test program. A program without a last line did not run to its
   * end.
   */
  program?: { first: RegExp; last: RegExp };
}

/**
 * Patterns of passing tests. The first group is the title; `owner` is optional. The indentation below the
 * titles of suites gives the full name.
 */
export interface PassingPatterns {
  test: RegExp;
  suite?: RegExp;
  indent?: number;
}

/** Patterns of failing tests. Each failure is a line that begins it, and the lines up to the next one. */
export interface FailurePatterns {
  /**
   * Groups: `name`, with its class as `owner`, a `variant` of the same test, and `reason`. Or `suite`, a file
   * that could not be run; if empty, the file matched by `file`. Or `module`, whose file is unknown.
   */
  begin: RegExp | readonly RegExp[];
  /** Matches the line above `begin`. */
  above?: RegExp;
  /** Matches the line after the last line of a failure. */
  end?: RegExp;
  /** Only lines between `sectionStart` and `sectionEnd` are failing tests. There may be several such parts. */
  sectionStart?: RegExp;
  sectionEnd?: RegExp;
  /** Matches further lines of the title, up to the line that ends with a colon. */
  title?: RegExp;
  /** Separator between class and test in a name. Default ` > `. */
  nameSeparator?: string;
  /** Matches the file of the failures below it. */
  file?: RegExp;
  /**
   * Matches an entry of a list of failing tests: `name`, with optional `file` and `line`. Listed tests
   * without lines of their own are added.
   */
  listed?: RegExp;
  /** Set if a line is a title only if it is listed. In the list, a reason may follow the title. */
  onlyListed?: boolean;
  /** Reads the fields of a failure. Default: `readFailureFields`. */
  read?: (body: readonly string[], paths: OutputPaths) => Omit<FailedTest, 'name'>;
}
