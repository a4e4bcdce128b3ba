/**
 * Reads the output of go test, also with `-v` and `-json`: failing tests, panics, timeouts, and messages of
 * the compiler and of vet.
 */
import { joinMessage, removeDuration } from '../failure-text.ts';
import { readPassingNames } from '../read-format.ts';
import type {
  FailedTest,
  OutputError,
  FilePlace,
  OutputReader,
  ReaderInput,
  OutputReading,
  OutputPaths,
} from '../types.ts';
import { isRecord, parseJson } from '../../../base/values/json.ts';

const VERDICT_LINE = /^\s*--- (FAIL|PASS|SKIP): (\S+) \([\d.]+s\)$/;
const LOG_LINE = /^\s+(\S+\.go):(\d+): (.*)$/;
const COMPILER_ERROR = /^(?:vet: )?(\.?\/?[^\s:]+\.go):(\d+)(?::\d+)?: (.+)$/;

export const goTestReader: OutputReader = {
  runner: 'go test',
  mark: /^(?:ok {2}|FAIL|---) ?\t\S+|^FAIL\t\S+|^\s*--- (?:FAIL|PASS): \S+ \(|^# \S+ \[\S+\.test\]$|^\{"Time":.*"Action":/,
  read(input) {
    const lines = unwrapJsonLines(input.lines);
    const passing = readPassingNames(input.lines, { test: /^\s*--- PASS: (\S+) \(/, indent: Infinity });
    const errors = readCompilerErrors(lines, input.paths);
    const reading: OutputReading = { failed: [], errors, passing, skipped: 0 };
    const passed = lines.filter((line) => line.startsWith('--- PASS: ')).length;
    if (passed > 0) reading.passed = passed;
    const tests = readTests(lines);
    for (const test of tests) {
      if (test.verdict === 'FAIL' && !isOnlyParent(test, tests))
        reading.failed.push(readFailure(test, input.paths));
    }
    addPanics(reading, { lines, paths: input.paths });
    return reading;
  },
};

/** Returns the lines of the plain output. With `-json`, they are extracted from the events. */
function unwrapJsonLines(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (!line.startsWith('{"Time":')) return [line];
    const event = parseJson(line);
    const output = isRecord(event) && event.Action === 'output' ? event.Output : undefined;
    return typeof output === 'string' ? [output.replace(/\n$/, '')] : [];
  });
}

interface GoTest {
  name: string;
  verdict: string;
  output: string[];
  /** Import path of the test's package. The output names it below the tests. */
  packagePath?: string;
}

function readTests(lines: readonly string[]): GoTest[] {
  const tests = new Map<string, GoTest>();
  const open: GoTest[] = [];
  let current: GoTest | undefined;
  const getOrAddTest = (name: string): GoTest => {
    const test = tests.get(name) ?? { name, verdict: '', output: [] };
    if (!tests.has(name)) open.push(test);
    tests.set(name, test);
    return test;
  };
  for (const line of lines) {
    const [, running] = /^=== (?:RUN|NAME|CONT|PAUSE) +(\S+)$/.exec(line) ?? [];
    const [, verdict, name] = VERDICT_LINE.exec(line) ?? [];
    const [, , packagePath] = /^(FAIL|ok)\s+\t?(\S+)\t/.exec(line) ?? [];
    if (running !== undefined) current = getOrAddTest(running);
    else if (verdict !== undefined && name !== undefined) (current = getOrAddTest(name)).verdict = verdict;
    else if (packagePath !== undefined) {
      for (const test of open.splice(0)) test.packagePath = packagePath;
      current = undefined;
    } else if (/^(?:panic: |goroutine |FAIL$|PASS$|#)/.test(line)) current = undefined;
    else if (/^\s/.test(line)) current?.output.push(line);
  }
  return [...tests.values()];
}

/** Returns whether a test fails only because one of its subtests fails. */
const isOnlyParent = ({ name, output }: GoTest, tests: readonly GoTest[]): boolean =>
  output.length === 0 && tests.some((test) => test.verdict === 'FAIL' && test.name.startsWith(`${name}/`));

function readFailure({ name, output, packagePath }: GoTest, paths: OutputPaths): FailedTest {
  const [, file, line] = LOG_LINE.exec(output.find((text) => LOG_LINE.test(text)) ?? '') ?? [];
  const place = file === undefined ? undefined : paths.placeOf(fileOf(file, packagePath, paths), line);
  const message = joinMessage(
    output.map((text) => text.replace(LOG_LINE, '$3').trim()).filter(Boolean),
    paths,
  );
  return { name, place, message: message || undefined };
}

/** Returns the path of a test's file. Tests print the file without its folder, which is given by the last parts of the package's path. */
function fileOf(file: string, packagePath: string | undefined, paths: OutputPaths): string {
  if (file.includes('/') || packagePath === undefined) return file;
  const parts = packagePath.split('/');
  for (let from = 1; from <= parts.length; from += 1) {
    const path = [...parts.slice(from), file].join('/');
    if (paths.isFile(path)) return path;
  }
  return file;
}

/** Returns the compiler errors. The compiler prints paths relative to the module without indentation, while lines of tests are indented. */
function readCompilerErrors(lines: readonly string[], paths: OutputPaths): OutputError[] {
  return lines.flatMap((line) => {
    const [, file, number, message] = COMPILER_ERROR.exec(line) ?? [];
    const place = paths.placeOf(file, number);
    return place && message ? [{ message: joinMessage([message], paths), place }] : [];
  });
}

function addPanics(
  reading: OutputReading,
  { lines, paths }: Pick<ReaderInput, 'paths'> & { lines: readonly string[] },
): void {
  let failingName: string | undefined;
  let panicCount = 0;
  for (const [index, line] of lines.entries()) {
    const [, verdict, failed] = VERDICT_LINE.exec(line) ?? [];
    if (verdict === 'FAIL') failingName = failed;
    const [, panicText] = /^panic: (.+?)(?: \[recovered.*)?$/.exec(line) ?? [];
    // If a panic is raised again, its text is printed twice.
    if (panicText === undefined || lines[index - 1]?.startsWith('panic: ')) continue;
    if ((panicCount += 1) > MAX_PANICS) return;
    const stack = lines.slice(index, index + STACK_LINES);
    const running = stack.slice(0, 12).flatMap((text) => /^\t\t(\S+) \([\d.hms]+\)$/.exec(text)?.[1] ?? []);
    const frame = paths.findFirstFrame(stack);
    const names = running.length > 0 || failingName === undefined ? running : [failingName];
    const message = removeDuration(`panic: ${panicText}`);
    if (names.length === 0) reading.errors.push({ message, place: frame });
    for (const name of names) addPanic(reading, { name, message, frame });
  }
}

/** Maximum number of panics that are read; each package of a run can have one. */
const MAX_PANICS = 20;
const STACK_LINES = 200;

function addPanic(
  reading: OutputReading,
  { name, message, frame }: { name: string; message: string; frame: FilePlace | undefined },
): void {
  const failedTest = reading.failed.find((test) => test.name === name);
  const fields = { message, frame };
  if (failedTest)
    Object.assign(failedTest, {
      ...fields,
      message: [failedTest.message, message].filter(Boolean).join('\n'),
    });
  else reading.failed.push({ name, ...fields });
}
