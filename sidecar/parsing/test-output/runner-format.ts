/** Defines a row of the table of runners. Patterns match one line. Their named groups are the parts of the line. */
import type { FailedTest, OutputError, ReaderInput, OutputPaths } from './types.ts';

export interface RunnerFormat {
  runner: string;
  /** Matches a line that only this runner prints. */
  signPattern: RegExp;
  /** Replaces a line by one or more lines before the output is read. */
  rewrite?: (line: string) => string[];
  /**
   * Matches the start of a line of counts, such as `2 failed, 1 passed` or `Tests: 3, Failures: 2`. If missing, the listed passing tests
   * are counted.
   */
  totals?: RegExp;
  passingPatterns?: PassingPatterns;
  /** Text between the titles of suites in the name of a test. */
  separator?: string;
  failures?: FailurePatterns;
  /**
   * Patterns of errors of one line each, with the groups `line`, `message`, an optional `rule`, and `path`. If an error has no `path`, it
   * is in the file that `errorFile` matched last.
   */
  errors?: readonly RegExp[] | ((input: ReaderInput) => OutputError[]);
  errorFile?: RegExp;
  /** Patterns of warnings, which count only if there are no errors. */
  warnings?: readonly RegExp[];
  /** Matches the further lines of an error. */
  errorContinuation?: RegExp;
  /** Matches the first and the last line in the output of a test program. A program without the last line did not run to its end. */
  program?: { first: RegExp; last: RegExp };
}

/**
 * Patterns of passing tests. The first group of a pattern is the title, and `owner` is optional. The full name follows from the titles of
 * suites and the indentation below them.
 */
export interface PassingPatterns {
  test: RegExp;
  suite?: RegExp;
  indent?: number;
}

/** Patterns of failing tests. A failure is a line that `begin` matches, with the lines up to the next failure. */
export interface FailurePatterns {
  /**
   * Matches the first line of a failure. Its groups are `name`, with its class as `owner`, a `variant` of the same test, and `reason`; or
   * `suite`, a file that could not be run (if empty, the file that `file` matched); or `module`, whose file is unknown.
   */
  begin: RegExp | readonly RegExp[];
  /** Matches a line that must stand directly above the first line. */
  above?: RegExp;
  /** Matches the line that follows the last line of a failure. */
  end?: RegExp;
  /**
   * Matches the line before a section of failing tests. If set, only such sections, of which there may be several, contain failing tests.
   */
  sectionStart?: RegExp;
  /** Matches the line after a section of failing tests. */
  sectionEnd?: RegExp;
  /** Matches further lines of a title that has several. The last of them ends with a colon. */
  title?: RegExp;
  /** Text between class and test in a name. Default: ` > `. */
  nameSeparator?: string;
  /** Matches a line that names the file of the failures below it. */
  file?: RegExp;
  /**
   * Matches an entry in a list of failing tests, with the groups `name` and, optionally, `file` and `line`. A listed test for which no
   * failure is printed is added.
   */
  listedPattern?: RegExp;
  /** Set if only listed titles begin a failure. In the list, a reason may follow the title. */
  onlyListed?: boolean;
  /** Reads the fields of a failure from its lines. Default: `readFailureFields`. */
  read?: (body: readonly string[], paths: OutputPaths) => Omit<FailedTest, 'name'>;
}
