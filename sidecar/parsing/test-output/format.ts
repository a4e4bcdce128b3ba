/** One row of the table of runners. Patterns match one line; their named groups are the parts of it. */
import type { FailedTest, OutputError, ReaderInput, WorkspacePaths } from './types.ts';

export interface Format {
  runner: string;
  /** Matches a line that only this runner prints. */
  mark: RegExp;
  /** Returns the lines to read in place of one. */
  rewrite?: (line: string) => string[];
  /** Begins a line of counts such as `2 failed, 1 passed` or `Tests: 3, Failures: 2`. Without it passing tests are counted. */
  totals?: RegExp;
  passing?: PassingTests;
  /** Parts the titles of suites in a name. */
  separator?: string;
  failures?: Failures;
  /** Errors of one line each, with `line`, `message`, maybe a `rule`, and `path` or the file that `errorFile` found above. */
  errors?: readonly RegExp[] | ((input: ReaderInput) => OutputError[]);
  errorFile?: RegExp;
  /** Count if there are no errors. */
  warnings?: readonly RegExp[];
  /** Further lines of an error. */
  errorBelow?: RegExp;
  /** The first and the last line of a program of tests; one without a last line did not run to its end. */
  program?: { first: RegExp; last: RegExp };
}

/** Passing tests, with their title as the first group and maybe its `owner`; below titles of suites if the indentation shows these. */
export interface PassingTests {
  test: RegExp;
  suite?: RegExp;
  indent?: number;
}

/** Failing tests: each is a line that begins it and the lines up to the next one. */
export interface Failures {
  /**
   * Groups: `name`, with its class as `owner` and a `variant` of the same test; `reason`. Or `suite`, the file that could
   * not be run, empty if it is the one that `file` found; or `module`, whose file is not known.
   */
  begin: RegExp | readonly RegExp[];
  /** Matches the line above `begin`. */
  above?: RegExp;
  /** Ends the lines of a failure. */
  end?: RegExp;
  /** Only lines between these two are failing tests; there may be several such parts. */
  from?: RegExp;
  to?: RegExp;
  /** Further lines of the title, up to the one with a colon at its end. */
  title?: RegExp;
  /** Stands between class and test in a name; default ` > `. */
  joint?: string;
  /** Names the file of the failures below it. */
  file?: RegExp;
  /** Lists a failing test by `name`, and maybe `file` and `line`. Those without lines of their own are added. */
  listed?: RegExp;
  /** A line is a title only if it is listed; in the list a reason may follow it. */
  onlyListed?: boolean;
  /** Default: `failureFields`. */
  read?: (body: readonly string[], paths: WorkspacePaths) => Omit<FailedTest, 'name'>;
}
