/** node:test, in the form of TAP (also other programs that print TAP) and in the form of its `spec` reporter. */
import {
  MAX_READ_FAILURES,
  cutValue,
  dedent,
  failureFields,
  firstIn,
  notRun,
  withoutDuration,
} from '../failure-text.ts';
import type { OutputError, Reader, Reading, WorkspacePaths } from '../types.ts';
import { crashes } from './crashes.ts';

export const tapReader: Reader = {
  runner: 'node:test',
  recognises: ({ lines }) => lines.some((line) => /^(?:TAP version 1[34]|\s*(?:not )?ok \d+ - )/.test(line)),
  read({ lines, paths }) {
    const names: string[] = [];
    const reading: Reading = { failed: [], errors: [] };
    let counted = 0;
    const passed = lines.findLast((line) => /^# pass \d+$/.test(line));
    for (const [index, line] of lines.entries()) {
      const [, subtestIndent, subtest] = /^(\s*)# Subtest: (.*)$/.exec(line) ?? [];
      if (subtest !== undefined) names.splice((subtestIndent ?? '').length / 4, Infinity, subtest.trim());
      const [, indent, not, name] = /^(\s*)(not )?ok \d+ (?:- )?(.*)$/.exec(line) ?? [];
      if (name === undefined) continue;
      const depth = (indent ?? '').length / 4;
      if (!not) {
        if (!/# SKIP|# TODO/i.test(name)) counted += 1;
        continue;
      }
      if (/# TODO/i.test(name)) continue;
      const fields = yamlOf(lines, index + 1, (indent ?? '').length + 2);
      if (scalar(fields.failureType) === 'subtestsFailed') continue;
      addFailure(reading, [...names.slice(0, depth), withoutDuration(name)], fields, { lines, paths });
    }
    reading.passed = passed === undefined ? counted : Number(passed.slice('# pass '.length));
    return reading;
  },
};

type Yaml = Record<string, string[]>;

/** The block below a test's line: each key with the lines of its value, the first being what stands behind it. */
function yamlOf(lines: readonly string[], from: number, indent: number): Yaml {
  const fields: Yaml = {};
  if (lines[from]?.trim() !== '---') return fields;
  let key = '';
  for (let index = from + 1; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').slice(indent);
    if (line === '...') break;
    const [, name, value] = /^([A-Za-z_]+):(?: (.*))?$/.exec(line) ?? [];
    if (name !== undefined) fields[(key = name)] = [value ?? ''];
    else if (key) fields[key]?.push(line);
  }
  return fields;
}

/** One line's worth of a value, without its quotes. */
function scalar(value: readonly string[] | undefined): string | undefined {
  if (!value || (value.length > 1 && value.slice(1).some((line) => line.trim() !== ''))) return undefined;
  const [text = ''] = value;
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/.exec(text) ?? [];
  return (
    single?.replaceAll("''", "'") ?? double?.replaceAll(/\\(["\\])/g, '$1').replaceAll('\\n', '\n') ?? text
  );
}

/** Lines of a value; those of a block without the line that opens it. */
function valueLines(value: readonly string[] | undefined): string[] {
  if (!value) return [];
  const one = scalar(value);
  return one === undefined ? dedent(value.slice(1)) : one.split('\n');
}

function addFailure(
  reading: Reading,
  path: readonly string[],
  fields: Yaml,
  { lines, paths }: { lines: readonly string[]; paths: WorkspacePaths },
): void {
  if (reading.failed.length >= MAX_READ_FAILURES) {
    reading.failed.push({ name: path.join(' > ') });
    return;
  }
  const [, file, line] = /^(.*):(\d+):\d+$/.exec(scalar(fields.location) ?? '') ?? [];
  const place = paths.place(file, line);
  const message = valueLines(fields.error);
  if (isFile(path.at(-1), message)) {
    addFile(reading, path.at(-1) ?? '', crashes(uncommented(lines), paths), paths);
    return;
  }
  // The same shape as an error that is printed whole, so that one function reads both.
  const kind = scalar(fields.name);
  const lead = kind === undefined || kind === 'AssertionError' ? '' : `${kind}: `;
  const stack = valueLines(fields.stack).map((frame) => `    at ${frame}`);
  const found = failureFields([lead + (message[0] ?? ''), ...message.slice(1), ...stack], paths);
  const [expected, actual] = [scalar(fields.expected), scalar(fields.actual)];
  const values =
    expected !== undefined &&
    actual !== undefined &&
    found.expected === undefined &&
    !/\n/.test(found.message ?? '')
      ? { expected: cutValue(expected), actual: cutValue(actual) }
      : {};
  reading.failed.push({ name: path.join(' > '), place, ...found, ...values });
}

const uncommented = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2).replaceAll('\\#', '#'));

/** A file that could not be run is reported as a test of its own, which says no more than that it failed. */
const isFile = (name: string | undefined, message: readonly string[]): boolean =>
  name !== undefined && /\.[cm]?[jt]sx?$/.test(name) && /^'?test failed'?$/.test(message.join('').trim());

function addFile(reading: Reading, name: string, found: readonly OutputError[], paths: WorkspacePaths): void {
  const file = paths.relative(name) ?? name;
  if (!reading.failed.some((test) => test.name === file)) reading.failed.push(notRun(file));
  for (const error of found) {
    if (!reading.errors.some(({ message }) => message === error.message)) reading.errors.push(error);
  }
}

const INLINE = /^(\s*)(▶|✖|✔) (.+)$/;

export const specReader: Reader = {
  runner: 'node:test',
  recognises: ({ lines }) => lines.some((line) => /^ℹ tests \d+$|^✖ failing tests:$/.test(line)),
  read({ lines, paths }) {
    const start = lines.findIndex((line) => line === '✖ failing tests:');
    const reading: Reading = { failed: [], errors: [] };
    const passed = firstIn(lines, /^ℹ pass (\d+)$/);
    if (passed !== undefined) reading.passed = Number(passed);
    const above = start < 0 ? lines : lines.slice(0, start);
    const named = inlineFailures(above);
    if (start < 0)
      return { ...reading, failed: named.map(({ name, body }) => ({ name, ...failureFields(body, paths) })) };
    for (const { head, location, body } of sectionFailures(lines.slice(start + 1))) {
      const [, file, line] = /^(.*):(\d+):\d+$/.exec(location) ?? [];
      if (isFile(head, body)) {
        addFile(reading, head, crashes(above, paths), paths);
        continue;
      }
      const at = named.findIndex(({ own }) => own === head);
      const [full] = at < 0 ? [] : named.splice(at, 1);
      const place = paths.place(file, line);
      reading.failed.push({ name: full?.name ?? head, place, ...failureFields(body, paths) });
    }
    return reading;
  },
};

interface Inline {
  own: string;
  name: string;
  body: string[];
}

/** Failing tests as they are printed while they run, with the suites around them. A suite's own line is not one of them. */
function inlineFailures(lines: readonly string[]): Inline[] {
  const suites: string[] = [];
  const found: Inline[] = [];
  let current: Inline | undefined;
  for (const line of lines) {
    const [, indent, mark, text] = INLINE.exec(line) ?? [];
    if (mark === undefined || text === undefined) {
      if (line.startsWith('ℹ ')) current = undefined;
      current?.body.push(line);
      continue;
    }
    current = undefined;
    const depth = (indent ?? '').length / 2;
    const own = withoutDuration(text);
    if (mark === '▶') suites.splice(depth, Infinity, own);
    else if (mark === '✖' && suites[depth] !== own) {
      current = { own, name: [...suites.slice(0, depth), own].join(' > '), body: [] };
      found.push(current);
    } else if (suites[depth] === own) suites.splice(depth);
  }
  return found;
}

interface Section {
  head: string;
  location: string;
  body: string[];
}

/** The entries below `failing tests:`. */
function sectionFailures(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let location = '';
  for (const line of lines) {
    const [, at] = /^test at (.+)$/.exec(line) ?? [];
    const [, head] = /^✖ (.+)$/.exec(line) ?? [];
    if (at !== undefined) location = at;
    else if (head !== undefined) sections.push({ head: withoutDuration(head), location, body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}
