/** Table of the test runners, compilers and linters that print one line for each result. */
import type { RunnerFormat } from './runner-format.ts';
import { readCrashes } from './readers/crashes.ts';
import { isRecord, parseJson } from '../../base/values/json.ts';
import { readPanic, readRustErrors } from './readers/cargo-test.ts';
import { readTraceback } from './readers/traceback.ts';
import { joinMessage } from './failure-text.ts';

const JAVA_ERRORS = [
  /^(?<path>\/?\S+\.(?:java|kt|groovy)):\[(?<line>\d+),\d+\] (?<message>.+)$/,
  /^(?<path>\/?\S+\.(?:java|kt|groovy)):(?<line>\d+): error: (?<message>.+)$/,
];

export const formats: readonly RunnerFormat[] = [
  {
    runner: 'Jest',
    separator: ' › ',
    signPattern: /^(?:Test Suites: |Tests: +(?:\d+ \w+|no tests))|^ {2}● ./,
    totals: /^Tests: +/,
    passingPatterns: { test: /^ +[✓√] (.+)$/, suite: /^ {2,}([^\s✓√✕×○●✎].*)$/ },
    failures: {
      begin: /^ {2}● (?!Console$)(?:(?<suite>)Test suite failed to run|(?<name>.+))$/,
      end: /^\S/,
      file: /^\s*(?:FAIL|PASS) +(?:\S+ )?(\S+\.\w+)(?: \(.*\))?$/,
    },
  },
  {
    runner: 'Vitest',
    signPattern: /^\s+RUN {2}v\d|^ +Test Files {2}\d/,
    totals: /^ +Tests {2}/,
    passingPatterns: { test: /^ +[✓√] (?:\|[^|]{1,80}\| )?\S+\.[cm]?[jt]sx? > (.+?)(?: \d+ ?ms)?$/ },
    failures: {
      begin: /^ FAIL {2}(?:\|[^|]{1,80}\| )?(?:(?<suite>\S+) \[ .* \]|(?<file>.+?) > (?<name>.+))$/,
      end: /^⎯{5,}/,
    },
  },
  {
    runner: 'Mocha',
    signPattern: /^ {2}\d+ (?:passing \(|failing$)|^ Exception during run: /,
    totals: /^ {2}(?=\d+ (?:passing \(|failing$|pending$))/,
    passingPatterns: {
      test: /^ +[✓✔√] (.+)$/,
      suite: /^ {2,}(?!\d+ (?:passing|failing|pending)|\d+\) |- )(\S.*)$/,
    },
    failures: { sectionStart: /^ {2}\d+ failing$/, begin: /^ {2}\d+\) (?<name>.+)$/, title: /^ {7}\S/ },
    errors: ({ lines, paths }) =>
      lines.some((line) => line.startsWith(' Exception during run: ')) ? readCrashes(lines, paths) : [],
  },
  {
    runner: 'AVA',
    separator: ' › ',
    signPattern:
      /^ {2}(?:✘ \[fail\]: |\d+ (?:tests?|uncaught exceptions?|unhandled rejections?) (?:passed|failed)|✘ No tests found)/,
    passingPatterns: { test: /^ {2}✔ (.+)$/ },
    failures: {
      sectionStart: /^ {2}─+$/,
      listedPattern: /^ {2}✘ \[fail\]: (?<name>.+)$/,
      begin: /^ {2}(?<name>\S.*)$/,
      onlyListed: true,
    },
  },
  {
    runner: 'unittest',
    signPattern: /^Ran \d+ tests? in [\d.]+s$/,
    passingPatterns: { test: /^(\w+) \((?<owner>[\w.]+?)(?:\.\1)?\) \.\.\. ok$/ },
    totals: /^(?:(?=Ran \d+ tests? in )|(?:FAILED|OK) \()/,
    failures: {
      above: /^={70}$/,
      begin:
        /^(?:FAIL|ERROR): (?:(?<module>\S+) \(unittest\.loader\._FailedTest[\w.]*\)|(?<name>\S+)(?: \((?<owner>[\w.<>]+?)(?:\.\k<name>)?\))?(?: (?<variant>.+))?)$/,
      nameSeparator: '.',
      end: /^={70}$|^Ran \d+ tests? in /,
      read: readTraceback,
    },
  },
  {
    runner: 'cargo test',
    signPattern:
      /^test result: (?:ok|FAILED)\.|^running \d+ tests?$|^error(?:\[E\d+\])?: could not compile|^error\[E\d{4}\]: /,
    totals: /^test result: \w+\. /,
    passingPatterns: { test: /^test (.+) \.\.\. ok$/ },
    failures: {
      begin: /^---- (?<name>.+) stdout ----$/,
      end: /^failures:$/,
      listedPattern: /^test (?<name>.+) \.\.\. FAILED$/,
      read: readPanic,
    },
    program: { first: /^running \d+ tests?$/, last: /^test result: / },
    errors: readRustErrors,
  },
  {
    // The counts of a single class are followed by a duration, so that `totals` does not match them.
    runner: 'Surefire',
    signPattern: /^(?:\[\w+\] )?(?:Tests run: \d+, Failures: \d+, Errors: \d+|COMPILATION ERROR)/,
    rewrite: (line) => [line.replace(/^\[(?:INFO|WARNING|ERROR)\] /, '')],
    totals: /^(?=Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$)/,
    failures: {
      // Version 3 and version 2 print different forms.
      begin: [
        /^(?<owner>\S+)\.(?<name>.+?) -- Time elapsed.*<<< (?:FAILURE|ERROR)!$/,
        /^(?<name>.+)\((?<owner>\S+)\) +Time elapsed.*<<< (?:FAILURE|ERROR)!$/,
      ],
      end: /^\s*$/,
    },
    errors: JAVA_ERRORS,
  },
  {
    runner: 'Gradle',
    signPattern: /^> Task :|^BUILD (?:SUCCESSFUL|FAILED) in |^\d+ tests? completed, \d+ failed/,
    totals: /^(?=\d+ tests? completed, \d+ failed)/,
    passingPatterns: { test: /^(\S.* > .+) PASSED$/ },
    failures: { begin: /^(?<owner>\S.*) > (?<name>.+) FAILED$/, end: /^\S/ },
    errors: JAVA_ERRORS,
  },
  {
    runner: 'CTest',
    signPattern:
      /^\d+% tests passed, \d+ tests? failed out of \d+$|^No tests were found!!!$|^ *\d+\/\d+ Test +#\d+: /,
    passingPatterns: { test: /^ *\d+\/\d+ Test +#\d+: (.+?) \.{2,} *Passed +[\d.]+ sec/ },
    failures: {
      begin:
        /^ *\d+\/\d+ Test +#\d+: (?<name>.+?) \.{2,} *\*\*\*(?!Skipped)(?:Failed|(?<reason>[A-Z][\w :]*?)) +[\d.]+ sec/,
      end: /^ *\d+\/\d+ Test +#\d+: |^\d+% tests passed, |^ +Start +\d+: /,
      read: (body, paths) => ({ message: joinMessage(body, paths), frame: paths.findFirstFrame(body) }),
    },
  },
  {
    runner: 'RSpec',
    signPattern: /^\d+ examples?, \d+ failures?\b/,
    totals: /^(?=\d+ examples?, \d+ failures?\b)/,
    failures: {
      sectionStart: /^Failures:$/,
      sectionEnd: /^(?:Finished in |Failed examples:$)/,
      begin: /^ {2}\d+\) (?<name>.+)$|^An error occurred while loading (?<suite>\S+\.rb)\./,
      listedPattern: /^rspec (?<file>\S+):(?<line>\d+) # (?<name>.+)$/,
    },
  },
  {
    runner: 'PHPUnit',
    signPattern: /^PHPUnit \d+\.\S+ by |^PHP (?:Fatal|Parse) error: /,
    totals: /^(?=Tests: \d+, Assertions: )|^OK \(/,
    failures: {
      sectionStart: /^There (?:was|were) \d+ (?:error|failure)s?:$/,
      sectionEnd: /^(?:There (?:was|were) \d+ |(?:ERRORS|FAILURES)!$)/,
      begin: /^\d+\) (?<name>.+)$/,
      end: /^--$/,
    },
    errors: [
      /^PHP (?:Fatal|Parse) error: +(?:Uncaught )?(?<message>.+) in (?<path>\/\S+?)(?::| on line )(?<line>\d+)$/,
    ],
  },
  {
    runner: 'dotnet test',
    rewrite: (line) => (line.trim() === 'Error Message:' ? [] : [line]),
    signPattern: /^\s*(?:Passed|Failed)! +- Failed: |^Test Run (?:Failed|Successful)\.$|: error CS\d+: /,
    totals:
      /^\s*(?:Passed|Failed)! +- (?=Failed: )|^Total (?=tests: \d)|^ +(?=(?:Passed|Failed|Skipped): \d+$)/,
    passingPatterns: { test: /^ *Passed +(\S.*?)(?: \[.*\])?$/ },
    failures: {
      begin: /^ *Failed +(?!- )(?<name>\S.*?)(?: \[.*\])?$/,
      end: /^ *(?:Passed|Skipped) +\S|^\s*(?:Passed|Failed)! |^Total tests: |^Test Run /,
    },
    errors: [/^\s*(?<path>\S.*?\.\w+)\((?<line>\d+),\d+\): error (?<message>CS\d+: .+?)(?: \[.*\])?$/],
  },
  {
    runner: 'tsc',
    signPattern: /^(?:\S.{0,400}?(?:\(\d+,\d+\):|:\d+:\d+ -) )?error TS\d+: /,
    errors: [
      /^(?<path>[^\s(][^(]{0,400})\((?<line>\d+),\d+\): error (?<message>TS\d+: .+)$/,
      /^(?<path>\S.{0,400}?):(?<line>\d+):\d+ - error (?<message>TS\d+: .+)$/,
      /^error (?<message>TS\d+: .+)$/,
    ],
    // Matches the details of an error. In the pretty form, code follows after an empty line, which ends the details.
    errorContinuation: /^ {2,}\S/,
  },
  {
    runner: 'ESLint',
    signPattern: /^✖ \d+ problems? \(|^\[\{"filePath":/,
    rewrite: convertEslintReport,
    errorFile: /^\/?[^\s[{]+\.\w+$/,
    errors: [/^ {2}(?<line>\d+):\d+ +error {2}(?<message>.+?)(?: {2,}(?<rule>\S+))?$/],
    warnings: [/^ {2}(?<line>\d+):\d+ +warning {2}(?<message>.+?)(?: {2,}(?<rule>\S+))?$/],
  },
];

/** Converts ESLint's JSON report to the lines of its default report. Returns a line that is no complete report unchanged. */
function convertEslintReport(line: string): string[] {
  const files = line.startsWith('[{"filePath":') ? parseJson(line) : undefined;
  if (!Array.isArray(files)) return [line];
  return files.filter(isRecord).flatMap(({ filePath, messages }) => [
    String(filePath),
    ...(Array.isArray(messages) ? messages : [])
      .filter(isRecord)
      .map(({ line: row, severity, message, ruleId }) => {
        const rule = typeof ruleId === 'string' ? `  ${ruleId}` : '';
        return `  ${Number(row) || 1}:1  ${severity === 2 ? 'error' : 'warning'}  ${String(message)}${rule}`;
      }),
  ]);
}
