/**
 * Builds the essence of a check's output. Pure, and linear in the part of the output that is read, which is bounded. The same code always
 * leads to the same text, since it has no durations, colours, addresses, or stack frames of a runtime. The text always contains the first
 * failure.
 */
import { sandboxReasonOf } from '../../base/values/sandbox-note.ts';
import { formats } from './runner-formats.ts';
import { splitByPackage, splitOutput } from './output-lines.ts';
import { createReader } from './read-format.ts';
import { readCrashes } from './readers/crashes.ts';
import { goTestReader } from './readers/go-test.ts';
import { junitReader } from './readers/junit-xml.ts';
import { specReader, tapReader } from './readers/node-test.ts';
import { readOtherLines } from './readers/other-lines.ts';
import { proveReader } from './readers/prove.ts';
import { pytestReader } from './readers/pytest.ts';
import { renderEssence } from './render.ts';
import type { Essence, OutputReader, ReaderInput, OutputReading } from './types.ts';
import { createOutputPaths } from './output-paths.ts';

export interface EssenceContext {
  /** Absolute path of the workspace. Paths in it are made relative. */
  workspaceDir?: string | undefined;
  /** Returns whether a path, relative to the workspace, is a file. */
  isFile?: ((path: string) => boolean) | undefined;
  /** Approximate maximum size of the text, in tokens. Default: 600. */
  maxTokens?: number | undefined;
  /** Whether the command failed. If it did but no failing test was found, lines of the output are shown instead. */
  hasFailed?: boolean | undefined;
}

const DEFAULT_MAX_TOKENS = 600;
const CHARS_PER_TOKEN = 3;
/** Maximum number of failures in the data. The text shows fewer. */
const MAX_FAILED = 500;
const MAX_ERRORS = 100;
const MAX_CRASHES = 3;

/** Readers of all runners. JUnit XML is first, because such an output also contains the printed form of the same failures. */
const readers: readonly OutputReader[] = [
  junitReader,
  specReader,
  tapReader,
  pytestReader,
  goTestReader,
  proveReader,
  ...formats.map(createReader),
];

/** Returns the essence of an output: the failures with their places, and the passing tests. */
export function essenceOf(output: string, context: EssenceContext = {}): Essence {
  const { maxTokens = DEFAULT_MAX_TOKENS } = context;
  const input: ReaderInput = { lines: splitOutput(output), paths: createOutputPaths(context) };
  const { runners, ...reading } = readResults(input);
  const isEmpty = reading.failed.length === 0 && reading.errors.length === 0;
  const isOther = isEmpty && (runners.length === 0 || context.hasFailed === true);
  const sandboxProblems = input.lines
    .flatMap((line) => sandboxReasonOf(line) ?? [])
    .map((message) => ({ message }));
  const errors = [...sandboxProblems, ...(isOther ? readOtherLines(input) : reading.errors)];
  const limited = {
    ...reading,
    runner: runners.join(', ') || 'other',
    failed: reading.failed.slice(0, MAX_FAILED),
    errors: errors.slice(0, MAX_ERRORS),
  };
  const omitted = {
    failed: reading.failed.length - limited.failed.length,
    errors: errors.length - limited.errors.length,
  };
  return { ...limited, text: renderEssence(limited, { maxChars: maxTokens * CHARS_PER_TOKEN, omitted }) };
}

interface RunnerResults extends OutputReading {
  runners: string[];
}

const NO_RESULTS: RunnerResults = { runners: [], failed: [], errors: [], passing: [], skipped: 0 };

function joinResults(parts: readonly RunnerResults[]): RunnerResults {
  const passed = parts.flatMap((part) => part.passed ?? []);
  return {
    runners: [...new Set(parts.flatMap(({ runners }) => runners))],
    passed: passed.length === 0 ? undefined : passed.reduce((sum, count) => sum + count),
    failed: parts.flatMap(({ failed }) => failed),
    errors: parts.flatMap(({ errors }) => errors),
    passing: parts.flatMap(({ passing }) => passing),
    skipped: parts.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

/** Reads the results in the whole output. If no runner is recognised, reads the output again package by package. */
function readResults(input: ReaderInput): RunnerResults {
  const wholeResults = readRunners(input);
  if (wholeResults.runners.length > 0) return wholeResults;
  const packageResults = joinResults(
    splitByPackage(input.lines).map((lines) => readRunners({ ...input, lines })),
  );
  if (packageResults.runners.length > 0) return packageResults;
  // An uncaught error in a file of the workspace may have ended the program.
  const errors = readCrashes(input.lines, input.paths).filter(({ place }) => place !== undefined);
  return errors.length === 0
    ? NO_RESULTS
    : { ...NO_RESULTS, runners: ['node'], errors: errors.slice(0, MAX_CRASHES) };
}

/** Reads the results of all runners, because one command may run several, for example a compiler and then the tests. */
function readRunners({ lines, paths }: ReaderInput): RunnerResults {
  const results: RunnerResults[] = [];
  for (const reader of readers) {
    if (!lines.some((line) => reader.mark.test(line))) continue;
    const reading = reader.read({ lines, paths });
    results.push({ runners: [reader.runner], ...reading });
    if (reader === junitReader && reading.failed.length > 0) break;
  }
  return joinResults(results);
}
