/**
 * Builds the essence of a check's output. Pure, and linear in the part of the output that is read, which is
 * bounded. The same code always gives the same text: it has no durations, colours, addresses, or frames of a
 * runtime. The first failure is always in the text.
 */
import { sandboxReasonOf } from '../../base/values/sandbox-note.ts';
import { formats } from './formats.ts';
import { linesByPackage, outputLines } from './output-lines.ts';
import { readerOf } from './read-format.ts';
import { readCrashes } from './readers/crashes.ts';
import { goTestReader } from './readers/go-test.ts';
import { junitReader } from './readers/junit-xml.ts';
import { specReader, tapReader } from './readers/node-test.ts';
import { readOtherLines } from './readers/other.ts';
import { proveReader } from './readers/prove.ts';
import { pytestReader } from './readers/pytest.ts';
import { renderEssence } from './render.ts';
import type { Essence, Reader, ReaderInput, Reading } from './types.ts';
import { workspacePaths } from './workspace-paths.ts';

export interface EssenceContext {
  /** Absolute path of the workspace. Paths below it become relative. */
  workspaceDir?: string | undefined;
  /** Reports whether a path, relative to the workspace, is a file. */
  files?: ((path: string) => boolean) | undefined;
  /** Default 600. */
  maxTokens?: number | undefined;
  /** Whether the command failed. If it failed but no test failed, the lines of the output are shown. */
  failed?: boolean | undefined;
}

const DEFAULT_MAX_TOKENS = 600;
const CHARS_PER_TOKEN = 3;
/** Maximum number of failures in the data. The text shows fewer. */
const MAX_FAILED = 500;
const MAX_ERRORS = 100;
const MAX_CRASHES = 3;

/** XML is first: it contains the printed form of the same failures. */
const readers: readonly Reader[] = [
  junitReader,
  specReader,
  tapReader,
  pytestReader,
  goTestReader,
  proveReader,
  ...formats.map(readerOf),
];

/** Returns the essence of an output: the failures with their places, and the passing tests. */
export function essenceOf(output: string, context: EssenceContext = {}): Essence {
  const { maxTokens = DEFAULT_MAX_TOKENS } = context;
  const input: ReaderInput = { lines: outputLines(output), paths: workspacePaths(context) };
  const { runners, ...reading } = readParts(input);
  const nothing = reading.failed.length === 0 && reading.errors.length === 0;
  const isOther = nothing && (runners.length === 0 || context.failed === true);
  const missing = input.lines.flatMap((line) => sandboxReasonOf(line) ?? []).map((message) => ({ message }));
  const errors = [...missing, ...(isOther ? readOtherLines(input) : reading.errors)];
  const found = {
    ...reading,
    runner: runners.join(', ') || 'other',
    failed: reading.failed.slice(0, MAX_FAILED),
    errors: errors.slice(0, MAX_ERRORS),
  };
  const omitted = {
    failed: reading.failed.length - found.failed.length,
    errors: errors.length - found.errors.length,
  };
  return { ...found, text: renderEssence(found, { maxChars: maxTokens * CHARS_PER_TOKEN, omitted }) };
}

interface Parts extends Reading {
  runners: string[];
}

const NOTHING: Parts = { runners: [], failed: [], errors: [], passing: [], skipped: 0 };

function joinParts(parts: readonly Parts[]): Parts {
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

/** Reads the whole output. If no runner is recognised, reads it again package by package. */
function readParts(input: ReaderInput): Parts {
  const whole = readRunners(input);
  if (whole.runners.length > 0) return whole;
  const read = joinParts(linesByPackage(input.lines).map((lines) => readRunners({ ...input, lines })));
  if (read.runners.length > 0) return read;
  // A program that ended with an uncaught error in a file of the workspace.
  const errors = readCrashes(input.lines, input.paths).filter(({ place }) => place !== undefined);
  return errors.length === 0
    ? NOTHING
    : { ...NOTHING, runners: ['node'], errors: errors.slice(0, MAX_CRASHES) };
}

/**
 * Reads the results of all runners: one command may run several, for example a compiler and then the tests.
 */
function readRunners({ lines, paths }: ReaderInput): Parts {
  const found: Parts[] = [];
  for (const reader of readers) {
    if (!lines.some((line) => reader.mark.test(line))) continue;
    const reading = reader.read({ lines, paths });
    found.push({ runners: [reader.runner], ...reading });
    if (reader === junitReader && reading.failed.length > 0) break;
  }
  return joinParts(found);
}
