/** Tests of Java as Maven's Surefire and Gradle print them, and what the compiler says. */
import { MAX_READ_FAILURES, failureFields, linesUntil } from '../failure-text.ts';
import type { FailedTest, OutputError, Reader, ReaderInput, Reading } from '../types.ts';

const withoutLevel = (line: string): string => line.replace(/^\[(?:INFO|WARNING|ERROR)\] /, '');

/** All tests of a module; lines of single classes go on with the time that they took. */
const SUREFIRE_TOTALS = /^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/;
/** Surefire 3 and 2. */
const SUREFIRE_FAILED =
  /^(?:(\S+)\.(.+?) -- Time elapsed|(.+)\((\S+)\) +Time elapsed).*<<< (?:FAILURE|ERROR)!$/;

export const surefireReader: Reader = {
  runner: 'Surefire',
  recognises: ({ lines }) =>
    lines.some((line) =>
      /^(?:Tests run: \d+, Failures: \d+, Errors: \d+|COMPILATION ERROR)/.test(withoutLevel(line)),
    ),
  read({ lines: printed, paths }) {
    const lines = printed.map(withoutLevel);
    const reading: Reading = { passed: 0, failed: [], errors: compilerErrors({ lines, paths }) };
    for (const line of lines) {
      const [, run, ...others] = SUREFIRE_TOTALS.exec(line)?.map(Number) ?? [];
      if (run !== undefined)
        reading.passed = others.reduce((rest, count) => rest - count, (reading.passed ?? 0) + run);
    }
    reading.failed = failuresBy(SUREFIRE_FAILED, { lines, paths }, (text) => text.trim() === '');
    return reading;
  },
};

const GRADLE_TEST = /^(\S.* > .+) (PASSED|FAILED|SKIPPED)$/;
const GRADLE_TOTALS = /^(\d+) tests? completed, (\d+) failed/;

export const gradleReader: Reader = {
  runner: 'Gradle',
  recognises: ({ lines }) =>
    lines.some((line) => /^> Task :|^BUILD (?:SUCCESSFUL|FAILED) in /.test(line)) ||
    lines.some((line) => GRADLE_TOTALS.test(line)),
  read(input) {
    const reading: Reading = { failed: [], errors: compilerErrors(input) };
    const passed = input.lines.filter((line) => GRADLE_TEST.exec(line)?.[2] === 'PASSED').length;
    const totals = input.lines.flatMap((line) => GRADLE_TOTALS.exec(line)?.slice(1, 3).map(Number) ?? []);
    if (passed > 0) reading.passed = passed;
    else if (totals.length > 0)
      reading.passed = totals.reduce((sum, count, index) => sum + (index % 2 === 0 ? count : -count), 0);
    reading.failed = failuresBy(
      /^(\S.*) > (.+) FAILED$/,
      input,
      (text) => text !== '' && !text.startsWith(' '),
    );
    return reading;
  },
};

/** Tests whose lines match, named by class and method; what they said stands below, up to a line that ends it. */
function failuresBy(
  pattern: RegExp,
  { lines, paths }: ReaderInput,
  isEnd: (line: string) => boolean,
): FailedTest[] {
  const failed: FailedTest[] = [];
  for (const [index, line] of lines.entries()) {
    const [, owner, method, oldMethod, oldOwner] = pattern.exec(line) ?? [];
    const [class_, name] = owner === undefined ? [oldOwner, oldMethod] : [owner, method];
    if (class_ === undefined || name === undefined) continue;
    const body = failed.length < MAX_READ_FAILURES ? linesUntil(lines, index + 1, isEnd) : [];
    failed.push({ name: `${class_} > ${name}`, ...failureFields(body, paths) });
  }
  return failed;
}

/** `App.java:[5,10] cannot find symbol` of Maven, `App.java:5: error: cannot find symbol` of javac. */
function compilerErrors({ lines, paths }: ReaderInput): OutputError[] {
  const errors = lines.flatMap((line): OutputError[] => {
    const [, path, row, message] =
      /^(\/?\S+\.(?:java|kt|groovy)):(?:\[(?=\d+,)|(?=\d+: error))(\d+)(?:,\d+\]|: error:) (.+)$/.exec(
        line,
      ) ?? [];
    return message === undefined ? [] : [{ message, place: paths.place(path, row) }];
  });
  // Maven prints them a second time at the end.
  return errors.filter(
    ({ message, place }, index) =>
      errors.findIndex((other) => other.message === message && other.place?.line === place?.line) === index,
  );
}
