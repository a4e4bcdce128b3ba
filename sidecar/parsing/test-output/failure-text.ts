/**
 * Extracts the message of a failure from the lines that a runner printed for it. Removes stack frames, excerpts of code, fields of the
 * error object, and values that differ between runs. Returns expected and actual values separately if they can be recognised.
 */
import { shorten } from '../../base/values/shortening.ts';
import type { FailedTest, OutputPaths } from './types.ts';
import { isFrame } from './output-paths.ts';

const MAX_MESSAGE_LINES = 14;
const MAX_MESSAGE_CHARS = 900;
const MAX_VALUE_CHARS = 240;

/** Matches excerpts of code in the form of Jest, Vitest and Vite. */
const CODE_FRAME = /^\s*(?:>\s*)?(?:\d+\s*)?\|/;

/**
 * Matches the first line of a diff or a cause that repeats information of the message. It is removed only after a line that `FIRST_DETAIL`
 * matches.
 */
const REPEATED_DETAIL = /^\s*(?:\+ expected - actual|Cause:)$/;
const FIRST_DETAIL = /^\s*(?:\+ actual - expected|\S.* !==? \S.*|thrown: .*)$/;

/** Replaces parts that differ between runs: memory addresses, process ids, local ports, temporary folders. */
export function removeVariance(text: string): string {
  return text
    .replaceAll(/\bat 0x[0-9a-f]{6,16}\b/gi, 'at 0x…')
    .replaceAll(/\(node:\d+\)/g, '(node)')
    .replaceAll(/\b(?:127\.0\.0\.1|localhost|::1):\d{4,5}\b/g, 'localhost:…')
    .replaceAll(
      /(?<![\w/.])\/(?:private\/)?(?:var\/folders\/[^/\s]{1,40}\/[^/\s]{1,80}\/T|tmp)\/[^\s/'"`,;:)]{1,200}/g,
      '/tmp/…',
    );
}

/** Returns a test's name without its duration. */
export const removeDuration = (name: string): string =>
  name.replace(/\s*(?:\(\d[\d.,]*\s*(?:ms|s|m|µs)\)|# time=\d[\d.]*m?s(?: \{)?)\s*$/, '').trim();

export const shortenValue = (text: string): string => shorten(text, MAX_VALUE_CHARS);

/** Returns the lines from index `from` up to, but not including, the first line for which `isEnd` is true. */
export function collectLinesUntil(
  lines: readonly string[],
  from: number,
  isEnd: (line: string) => boolean,
): readonly string[] {
  let end = from;
  while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1;
  return lines.slice(from, end);
}

/** Removes the indentation that all lines share. */
export function dedent(lines: readonly string[]): string[] {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const smallest = indents.reduce((a, b) => Math.min(a, b), Infinity);
  return lines.map((line) =>
    Number.isFinite(smallest) ? line.slice(Math.min(smallest, line.length)) : line,
  );
}

/** Returns the failure of a test file that ended before all of its tests ran. */
export const buildNotRunTest = (name: string): FailedTest => ({
  name,
  message: 'the file could not be run to its end',
});
export const isNotRun = ({ message }: FailedTest): boolean => message === buildNotRunTest('').message;

/** Maximum number of failures that are read with details. Of further failures only the names are read, since fewer are shown and stored. */
export const MAX_READ_FAILURES = 500;

/** Reads the fields of a failure from the lines printed for it. */
export function readFailureFields(
  lines: readonly string[],
  paths: OutputPaths,
): Omit<FailedTest, 'name' | 'place'> {
  const frame = paths.findFirstFrame(lines);
  const text = dedent(selectMessageLines(lines));
  const { expected, actual, otherLines } = readValues(text);
  const message = joinMessage(otherLines, paths);
  return {
    ...(expected !== undefined && actual !== undefined
      ? { expected: shortenValue(expected), actual: shortenValue(actual) }
      : {}),
    message: message || undefined,
    frame,
  };
}

/** Joins the lines of a message: with relative paths, without parts that differ between runs, and cut to the maximum length. */
export function joinMessage(lines: readonly string[], paths: OutputPaths): string {
  const text = lines
    .filter((line, index) => line.trim() !== '' || (lines[index - 1] ?? '').trim() !== '')
    .slice(0, MAX_MESSAGE_LINES)
    .join('\n');
  return shorten(removeVariance(paths.shortenPaths(text)).trim(), MAX_MESSAGE_CHARS);
}

/** Returns the lines before the stack and before the fields of the error object, without excerpts of code. */
function selectMessageLines(lines: readonly string[]): string[] {
  const retained: string[] = [];
  for (const line of lines) {
    if (isFrame(line) || /^\s*(?:(?:generatedMessage|code): |Stack Trace:$)/.test(line)) {
      if (retained.some((text) => text.trim() !== '')) break;
      continue;
    }
    // Mocha adds its own diff to an assertion that already has one. Jest repeats the error of a timeout.
    if (REPEATED_DETAIL.test(line) && retained.some((text) => FIRST_DETAIL.test(text))) break;
    if (!CODE_FRAME.test(line)) retained.push(simplifyError(line));
  }
  return retained;
}

/**
 * Shortens `TypeError [ERR_X]: text {` to `TypeError: text`. The code repeats the text, and the brace only opens the fields of the error
 * object.
 */
const simplifyError = (line: string): string =>
  /^\s*\w*Error\b/.test(line)
    ? line.replace(/^(\s*\w*Error) \[\w+\]:/, '$1:').replace(/(?<=\S) \{$/, '')
    : line;

interface ComparedValues {
  expected?: string | undefined;
  actual?: string | undefined;
  otherLines: string[];
}

/** Matches messages that state only that two values differ. */
const GENERIC_MESSAGES = [
  /^(?:\w*Error: )?Expected values to be (?:strictly |loosely )?(?:deep-)?equal:?$/,
  /^(?:Error: )?expect\(received\)\.\w+\(expected\)(?: \/\/ .*)?$/,
  /^AssertionError: expected .* to (?:be|equal|deeply equal|strictly equal) .*$/,
];

function readValues(lines: readonly string[]): ComparedValues {
  const text = lines.map((line) => line.trim());
  const isGeneric = (line: string) => line === '' || GENERIC_MESSAGES.some((pattern) => pattern.test(line));
  // Form of Jest: `Expected: 6` and `Received: 2`.
  const expectedIndex = text.findIndex((line) => /^[Ee]xpected(?: \w+){0,3}: +\S/.test(line));
  const actualIndex = text.findIndex((line) => /^(?:[Rr]eceived|[Aa]ctual|got)(?: \w+){0,3}: +\S/.test(line));
  if (expectedIndex >= 0 && actualIndex >= 0) {
    const value = (index: number) => (text[index] ?? '').replace(/^[\w ]+: +/, '');
    const otherLines = lines.filter(
      (_, index) => index !== expectedIndex && index !== actualIndex && !isGeneric(text[index] ?? ''),
    );
    return { expected: value(expectedIndex), actual: value(actualIndex), otherLines };
  }
  // Form of node:assert: `2 !== 6`.
  const comparisonIndex = text.findIndex((line) => /^\S.* !==? \S.*$/.test(line));
  if (
    comparisonIndex >= 0 &&
    text.every((line, index) => index === comparisonIndex || isGeneric(line) || isNodeLead(line))
  ) {
    const [, actual, expected] = /^(.*?) !==? (.*)$/.exec(text[comparisonIndex] ?? '') ?? [];
    return { expected, actual, otherLines: [] };
  }
  return readDiffValues(lines, isGeneric);
}

const isNodeLead = (line: string): boolean => /^(?:\w*Error: .*:|Expected values .*)$/.test(line);

/** Reads the expected and the actual value from a diff of one line. The legend of the diff determines the meaning of its signs. */
function readDiffValues(lines: readonly string[], isGeneric: (line: string) => boolean): ComparedValues {
  const legend = lines.findIndex((line) =>
    /^\s*(?:[+-] (?:expected|actual)(?: +[+-] (?:expected|actual))?|- Expected.*)\s*$/.test(line),
  );
  if (legend < 0) return { otherLines: [...lines] };
  const first = (lines[legend] ?? '').trim();
  const minusIsExpected = first.startsWith('- Expected') || /- expected/.test(first);
  const body = lines
    .slice(legend + 1)
    .filter((line) => line.trim() !== '' && !/^\s*(?:\+ Received(?: .*)?|\^+)\s*$/.test(line));
  const minus = body.filter((line) => /^\s*-/.test(line));
  const plus = body.filter((line) => /^\s*\+/.test(line));
  if (body.length !== 2 || minus.length !== 1 || plus.length !== 1) {
    return { otherLines: lines.filter((line, index) => index >= legend || !isGeneric(line.trim())) };
  }
  const value = (line: string | undefined) => (line ?? '').trim().slice(1).trim();
  const [expected, actual] = minusIsExpected ? [minus[0], plus[0]] : [plus[0], minus[0]];
  return {
    expected: value(expected),
    actual: value(actual),
    otherLines: lines.slice(0, legend).filter((line) => !isGeneric(line.trim())),
  };
}
