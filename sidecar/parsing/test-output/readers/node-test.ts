/**
 * Reads the output of node:test as TAP (also of other programs that print TAP) and in the form of its `spec`
 * reporter.
 */
import { parseDocument } from 'yaml';
import {
  MAX_READ_FAILURES,
  shortenValue,
  readFailureFields,
  collectLinesUntil,
  buildNotRunTest,
  removeDuration,
} from '../failure-text.ts';
import { readPassingNames } from '../read-format.ts';
import { addTotals } from '../totals.ts';
import type {
  FailedTest,
  OutputError,
  OutputReader,
  ReaderInput,
  OutputReading,
  OutputPaths,
} from '../types.ts';
import { isRecord } from '../../../base/values/json.ts';
import { readCrashes } from './crashes.ts';

const TOTALS_LINE = /^[ℹ#] (?=(?:pass|fail|skipped|todo) \d+$)/;
const MAX_BLOCK_LINES = 200;

export const tapReader: OutputReader = {
  runner: 'node:test',
  mark: /^(?:TAP version 1[34]|\s*(?:not )?ok \d+ - )/,
  read({ lines, paths }) {
    const passing = readPassingNames(lines, {
      test: /^\s*ok \d+ (?:- )?((?!.*# (?:SKIP|TODO)).+)$/i,
      suite: /^\s*# Subtest: (.+)$/,
      indent: 4,
    });
    const reading: OutputReading = { failed: [], errors: [], passing, passed: passing.length, skipped: 0 };
    const names: string[] = [];
    for (const [index, line] of lines.entries()) {
      const [, subtestIndent = '', subtest] = /^(\s*)# Subtest: (.*)$/.exec(line) ?? [];
      if (subtest !== undefined) names.splice(subtestIndent.length / 4, Infinity, subtest.trim());
      const [, indent = '', name] = /^(\s*)not ok \d+ (?:- )?((?!.*# TODO).*)$/i.exec(line) ?? [];
      if (name === undefined) continue;
      const fields = readYamlBelow(lines, index + 1, indent.length + 2);
      if (fields.failureType === 'subtestsFailed') continue;
      const path = [...names.slice(0, indent.length / 4), removeDuration(name)];
      addFailure(reading, path, fields, { lines, paths });
    }
    return addTotals(reading, lines, TOTALS_LINE);
  },
};

/** Returns the plain values of the YAML block below a test's line. */
function readYamlBelow(
  lines: readonly string[],
  from: number,
  indent: number,
): Partial<Record<string, string>> {
  if (lines[from]?.trim() !== '---') return {};
  const block = collectLinesUntil(
    lines.slice(from + 1, from + MAX_BLOCK_LINES),
    0,
    (line) => line.slice(indent) === '...',
  );
  const document = parseDocument(block.map((line) => line.slice(indent)).join('\n'), { logLevel: 'silent' });
  const values: unknown = document.toJS({ maxAliasCount: 0 });
  const scalars = isRecord(values)
    ? Object.entries(values).filter(([, value]) => typeof value !== 'object')
    : [];
  return Object.fromEntries(scalars.map(([key, value]) => [key, String(value)]));
}

function addFailure(
  reading: OutputReading,
  path: readonly string[],
  fields: Partial<Record<string, string>>,
  { lines, paths }: ReaderInput,
): void {
  const message = fields.error?.split('\n') ?? [];
  if (reading.failed.length >= MAX_READ_FAILURES) reading.failed.push({ name: path.join(' > ') });
  else if (isFileFailure(path.at(-1), message)) {
    const comments = lines.filter((line) => line.startsWith('# '));
    const printed = comments.map((line) => line.slice(2).replaceAll('\\#', '#'));
    addFileFailure(reading, path.at(-1) ?? '', readCrashes(printed, paths), paths);
  } else reading.failed.push({ name: path.join(' > '), ...readTapFields(fields, message, paths) });
}

function readTapFields(
  fields: Partial<Record<string, string>>,
  [first = '', ...otherLines]: readonly string[],
  paths: OutputPaths,
): Omit<FailedTest, 'name'> {
  const { name, stack, expected, actual } = fields;
  // The message is put into the lines of a printed error, so that one function reads both forms.
  const prefix = name === undefined || name === 'AssertionError' ? '' : `${name}: `;
  const frames = stack?.split('\n').map((frame) => `    at ${frame}`) ?? [];
  const errorFields = readFailureFields([prefix + first, ...otherLines, ...frames], paths);
  const hasValues = expected !== undefined && actual !== undefined;
  const isOneLine = errorFields.expected === undefined && !errorFields.message?.includes('\n');
  return {
    place: parsePlace(fields.location, paths),
    ...errorFields,
    ...(hasValues && isOneLine && { expected: shortenValue(expected), actual: shortenValue(actual) }),
  };
}

const parsePlace = (location: string | undefined, paths: OutputPaths) =>
  paths.placeOf(...((/^(.*):(\d+):\d+$/.exec(location ?? '')?.slice(1, 3) ?? []) as [string?, string?]));

/** Returns whether a failing test is in fact a file that could not be run. Its message then states only that the test failed. */
const isFileFailure = (name: string | undefined, message: readonly string[]): boolean =>
  name !== undefined && /\.[cm]?[jt]sx?$/.test(name) && /^'?test failed'?$/.test(message.join('').trim());

function addFileFailure(
  reading: OutputReading,
  name: string,
  errors: readonly OutputError[],
  paths: OutputPaths,
): void {
  const file = paths.toRelative(name) ?? name;
  if (!reading.failed.some((test) => test.name === file)) reading.failed.push(buildNotRunTest(file));
  for (const error of errors)
    if (!reading.errors.some(({ message }) => message === error.message)) reading.errors.push(error);
}

export const specReader: OutputReader = {
  runner: 'node:test',
  mark: /^ℹ tests \d+$|^✖ failing tests:$/,
  read({ lines, paths }) {
    const suite = /^\s*▶ (.+)$/;
    const passing = readPassingNames(lines, { test: /^\s*✔ ((?!.*# (?:SKIP|TODO)).+)$/i, suite });
    const reading: OutputReading = { failed: [], errors: [], passing, skipped: 0 };
    const start = lines.indexOf('✖ failing tests:');
    const above = start < 0 ? lines : lines.slice(0, start);
    const inlineTests = readInlineFailures(above);
    if (start < 0)
      for (const { name, body } of inlineTests)
        reading.failed.push({ name, ...readFailureFields(body, paths) });
    for (const { head, location, body } of start < 0 ? [] : readSections(lines.slice(start + 1))) {
      if (isFileFailure(head, body)) {
        addFileFailure(reading, head, readCrashes(above, paths), paths);
        continue;
      }
      const index = inlineTests.findIndex(({ title }) => title === head);
      const [fullTest] = index < 0 ? [] : inlineTests.splice(index, 1);
      reading.failed.push({
        name: fullTest?.name ?? head,
        place: parsePlace(location, paths),
        ...readFailureFields(body, paths),
      });
    }
    return addTotals(reading, lines, TOTALS_LINE);
  },
};

interface InlineFailure {
  title: string;
  name: string;
  body: string[];
}

/** Returns failing tests as printed during the run, with the names of their suites. The suites themselves are left out. */
function readInlineFailures(lines: readonly string[]): InlineFailure[] {
  const suites: string[] = [];
  const errorFields: InlineFailure[] = [];
  let current: InlineFailure | undefined;
  for (const line of lines) {
    const [, indent = '', mark, text] = /^(\s*)(▶|✖|✔) (.+)$/.exec(line) ?? [];
    if (mark === undefined || text === undefined) {
      if (line.startsWith('ℹ ')) current = undefined;
      current?.body.push(line);
      continue;
    }
    current = undefined;
    const depth = indent.length / 2;
    const title = removeDuration(text);
    if (mark === '▶') suites.splice(depth, Infinity, title);
    else if (suites[depth] === title) suites.splice(depth);
    else if (mark === '✖')
      errorFields.push((current = { title, name: [...suites.slice(0, depth), title].join(' > '), body: [] }));
  }
  return errorFields;
}

interface FailureSection {
  head: string;
  location: string;
  body: string[];
}

/** Returns the failures that are listed below `failing tests:`. */
function readSections(lines: readonly string[]): FailureSection[] {
  const sections: FailureSection[] = [];
  let location = '';
  for (const line of lines) {
    const [, place] = /^test at (.+)$/.exec(line) ?? [];
    const [, head] = /^✖ (.+)$/.exec(line) ?? [];
    if (place !== undefined) location = place;
    else if (head !== undefined) sections.push({ head: removeDuration(head), location, body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}
