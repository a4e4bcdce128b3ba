/**
 * The essence of a check's output. Pure; linear in the part of the output that is read, which is bounded. The same code gives
 * the same text: no durations, colours, addresses, or frames of a runtime. The first failure is always in the text.
 */
import { reasonOf } from '../values/sandbox-note.ts';
import { outputLines } from './output-lines.ts';
import { linesByPackage } from './prefixed-lines.ts';
import { avaReader } from './readers/ava.ts';
import { cargoReader } from './readers/cargo-test.ts';
import { crashes } from './readers/crashes.ts';
import { ctestReader } from './readers/ctest.ts';
import { eslintReader } from './readers/eslint.ts';
import { goTestReader } from './readers/go-test.ts';
import { gradleReader, surefireReader } from './readers/java.ts';
import { jestReader } from './readers/jest.ts';
import { junitReader } from './readers/junit-xml.ts';
import { mochaReader } from './readers/mocha.ts';
import { specReader, tapReader } from './readers/node-test.ts';
import { otherLines } from './readers/other.ts';
import { proveReader } from './readers/prove.ts';
import { pytestReader } from './readers/pytest.ts';
import { failedInTotal } from './readers/totals.ts';
import { tscReader } from './readers/tsc.ts';
import { unittestReader } from './readers/unittest.ts';
import { vitestReader } from './readers/vitest.ts';
import { passingTests, skippedTests } from './passing-tests.ts';
import { renderEssence } from './render.ts';
import type { Essence, Reader, ReaderInput, Reading } from './types.ts';
import { workspacePaths } from './workspace-paths.ts';

export interface EssenceContext {
  /** Absolute; paths below it become relative. */
  workspaceDir?: string | undefined;
  /** Whether a path, relative to the workspace, is a file of it. */
  files?: ((path: string) => boolean) | undefined;
  /** Default 600. */
  maxTokens?: number | undefined;
  /** The command failed. Then an output in which no test fails is shown by its lines. */
  failed?: boolean | undefined;
}

const DEFAULT_MAX_TOKENS = 600;
const CHARS_PER_TOKEN = 3;
/** Failures that are kept as data; the text shows fewer. */
const MAX_FAILED = 500;
const MAX_ERRORS = 100;

/** The ones with the clearest marks first. */
const readers: readonly Reader[] = [
  junitReader,
  jestReader,
  vitestReader,
  mochaReader,
  avaReader,
  specReader,
  tapReader,
  pytestReader,
  unittestReader,
  goTestReader,
  cargoReader,
  surefireReader,
  gradleReader,
  ctestReader,
  proveReader,
  tscReader,
  eslintReader,
];

export function essenceOf(output: string, context: EssenceContext = {}): Essence {
  const { maxTokens = DEFAULT_MAX_TOKENS } = context;
  const input: ReaderInput = { lines: outputLines(output), paths: workspacePaths(context) };
  const { runners, reading, names, skipped } = readParts(input);
  const runner = runners.join(', ');
  const nothing = reading.failed.length === 0 && reading.errors.length === 0;
  const isOther = nothing && (runner === '' || context.failed === true);
  const missing = input.lines.flatMap((line) => reasonOf(line) ?? []).map((message) => ({ message }));
  const errors = [...missing, ...(isOther ? otherLines(input) : reading.errors)];
  const found = {
    runner: runner || 'other',
    passed: reading.passed,
    failed: reading.failed.slice(0, MAX_FAILED),
    errors: errors.slice(0, MAX_ERRORS),
  };
  const omitted = {
    failed: reading.failed.length - found.failed.length,
    errors: errors.length - found.errors.length,
  };
  return {
    ...found,
    passing: names,
    skipped,
    text: renderEssence(found, { maxChars: maxTokens * CHARS_PER_TOKEN, omitted }),
  };
}

interface Parts {
  runners: string[];
  reading: Reading;
  names: string[];
  skipped: number;
}

/** Reads the output as it is; where no runner is recognised in it, package by package. */
function readParts(input: ReaderInput): Parts {
  const whole = readAll(input);
  const isRead = whole.runners.some((name) => name !== 'node');
  const packages = isRead ? [] : linesByPackage(input.lines).map((lines) => readAll({ ...input, lines }));
  const read = packages.filter(({ runners }) => runners.length > 0);
  if (read.length === 0) return whole;
  const passed = read.map(({ reading }) => reading.passed).filter((count) => count !== undefined);
  return {
    runners: [...new Set(read.flatMap(({ runners }) => runners))],
    reading: {
      ...(passed.length > 0 && { passed: passed.reduce((sum, count) => sum + count) }),
      failed: read.flatMap(({ reading }) => reading.failed),
      errors: read.flatMap(({ reading }) => reading.errors),
    },
    names: read.flatMap(({ names }) => names),
    skipped: read.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

function readAll(input: ReaderInput): Parts {
  const { runners, reading } = readRunners(input);
  return {
    runners,
    reading,
    names: runners.flatMap((name) => passingTests(name, input.lines, input.paths)),
    skipped: runners.reduce((sum, name) => sum + skippedTests(name, input.lines), 0),
  };
}

/** Several programs may have run in one command: a compiler and then the tests. */
function readRunners(input: ReaderInput): Pick<Parts, 'runners' | 'reading'> {
  const reading: Reading = { failed: [], errors: [] };
  const runners = new Set<string>();
  for (const reader of readers) {
    if (!reader.recognises(input)) continue;
    const { passed, failed, errors } = reader.read(input);
    const unnamed = failed.length + errors.length === 0 ? failedInTotal(reader.runner, input.lines) : 0;
    if (unnamed > 0) failed.push({ name: `${unnamed} failed, whose names the output lacks` });
    runners.add(reader.runner);
    if (passed !== undefined) reading.passed = (reading.passed ?? 0) + passed;
    reading.failed.push(...failed);
    reading.errors.push(...errors);
    // XML holds the printed form of the same failures.
    if (reader === junitReader && failed.length > 0) break;
  }
  if (runners.size > 0) return { runners: [...runners], reading };
  // A program that ended by an error that it did not catch, in a file of the workspace.
  const found = crashes(input.lines, input.paths).filter(({ place }) => place !== undefined);
  reading.errors.push(...found.slice(0, 3));
  return { runners: found.length > 0 ? ['node'] : [], reading };
}
