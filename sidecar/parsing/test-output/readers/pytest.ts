/** Reads the output of pytest, with any `--tb` style and with `-q`. */
import { dedent, joinMessage, buildNotRunTest } from '../failure-text.ts';
import { readPassingNames } from '../read-format.ts';
import { addTotals } from '../totals.ts';
import type { FailedTest, OutputReader, OutputReading, OutputPaths } from '../types.ts';
import { messageOf, findPlaces, extractRaisedError } from './traceback.ts';

const HEADER_LINE = /^_{3,} (.+?) _{3,}$/;
/** Matches a line of the summary. Its file need not be Python, because any text file can contain doctests. */
const SUMMARY_LINE = /^(FAILED|ERROR) (\S+?\.py(?=::| |$)|[^\s:]+\.\w+(?=::))((?:::.+?)?)(?: - (.*))?$/;
const TOTALS_LINE =
  /^=* ?(?=(?:\d+ (?:failed|passed|skipped|error|errors|deselected|xfailed|xpassed|warnings?)(?:, )?)+ in [\d.]+s)/;
const PHASE_SUFFIX = / \((?:setup|teardown)\)$/;
/** Matches the lines with which pytest shows the source of a module that could not be imported. */
const SOURCE_LINE = /^E +(?:File ".*", line \d+|\^+|\s{3,}.*)$/;

export const pytestReader: OutputReader = {
  runner: 'pytest',
  mark: new RegExp(`${TOTALS_LINE.source}|^=+ (?:test session starts|short test summary info) =+$`),
  read({ lines, paths }) {
    const listed = readPassingNames(lines, { test: /^PASSED (\S+?::.+)$/ });
    const shown =
      listed.length > 0 ? listed : readPassingNames(lines, { test: /^(\S+?::.+?) PASSED(?: +\[ *\d+%\])?$/ });
    const passing = shown.map((name) => makePathRelative(name, paths));
    const reading: OutputReading = { failed: [], errors: [], passing, skipped: 0 };
    for (const section of splitSections(lines)) {
      if (section.title.startsWith('ERROR collecting ')) addCollection(reading, section, paths);
      else reading.failed.push(readSection(section, paths));
    }
    addSummary(reading, lines, paths);
    // With `-qq`, pytest prints no totals, so the listed tests are counted. If there are totals, they name the number, or no test passed.
    reading.passed = lines.some((line) => TOTALS_LINE.test(line)) ? 0 : listed.length;
    return addTotals(reading, lines, TOTALS_LINE);
  },
};

/** Makes the path in a test's name relative. Only the part before `::` is a path. A backslash after it is part of the name. */
function makePathRelative(name: string, paths: OutputPaths): string {
  const [file = '', ...names] = name.split('::');
  return file.includes('\\') ? name : [paths.toRelative(file) ?? file, ...names].join('::');
}

interface PytestSection {
  title: string;
  body: string[];
}

function splitSections(lines: readonly string[]): PytestSection[] {
  const sections: PytestSection[] = [];
  let isOpen = false;
  for (const line of lines) {
    const [, title] = HEADER_LINE.exec(line) ?? [];
    // A line `_ _ _` separates the frames of one failure.
    if (title !== undefined && !/^[_ ]+$/.test(title)) {
      sections.push({ title, body: [] });
      isOpen = true;
    } else if (/^(?:=+ .* =+|-+ Captured .* -+|!+ .* !+)$/.test(line)) isOpen = false;
    else if (isOpen) sections.at(-1)?.body.push(line);
  }
  return sections;
}

/** Returns the lines of the message, which begin with `E`. With native tracebacks, returns the text below the last frame. */
function readRaisedMessage(body: readonly string[], paths: OutputPaths): string {
  const marked = body.filter((line) => /^E(?: |$)/.test(line)).map((line) => line.slice(1));
  const native = body.some((line) => /^\s*File "/.test(line)) ? extractRaisedError(body) : [];
  return messageOf(marked.length > 0 ? dedent(marked) : native, paths);
}

const readSection = ({ title, body }: PytestSection, paths: OutputPaths): FailedTest => ({
  name: title.replace(/^ERROR at (setup|teardown) of (.+)$/, '$2 ($1)').replace(/^\[doctest\] /, ''),
  ...findPlaces(body, paths),
  message: readRaisedMessage(body, paths) || undefined,
});

function addCollection(reading: OutputReading, { title, body }: PytestSection, paths: OutputPaths): void {
  const file = title.slice('ERROR collecting '.length);
  const ownPath = paths.toRelative(file);
  const [, path, line] = /^E +File "(.+)", line (\d+)/m.exec(body.join('\n')) ?? [];
  const source = body.filter((text) => !SOURCE_LINE.test(text));
  reading.errors.push({
    message: readRaisedMessage(source, paths) || readRaisedMessage(body, paths) || 'could not be collected',
    place:
      paths.placeOf(path, line) ??
      findPlaces(body, paths).frame ??
      (ownPath === undefined ? undefined : { path: ownPath, line: 1 }),
  });
  reading.failed.push(buildNotRunTest(ownPath ?? file));
}

/** Sets the full names of tests from the summary. With `--tb=no` and `--tb=line`, only the summary names failing tests. */
function addSummary(reading: OutputReading, lines: readonly string[], paths: OutputPaths): void {
  const places = parseLocations(lines);
  const sections = [...reading.failed];
  for (const line of lines) {
    const [, kind, file, names = '', message] = SUMMARY_LINE.exec(line) ?? [];
    if (file === undefined) continue;
    const dottedName = names.split('::').filter(Boolean).join('.');
    const index = sections.findIndex(
      ({ name }) => name === file || (dottedName !== '' && name.replace(PHASE_SUFFIX, '') === dottedName),
    );
    if (index >= 0) {
      const [test] = sections.splice(index, 1);
      if (test && dottedName !== '') test.name = file + names + (PHASE_SUFFIX.exec(test.name)?.[0] ?? '');
    } else if (kind === 'FAILED' || dottedName !== '' || !reading.failed.some(({ name }) => name === file)) {
      const placeIndex = message === undefined ? -1 : places.findIndex((place) => place.message === message);
      const [place] = placeIndex < 0 ? [] : places.splice(placeIndex, 1);
      reading.failed.push({
        name: file + names,
        message: message === undefined ? undefined : joinMessage([message], paths),
        frame: place && paths.placeOf(place.path, place.line),
      });
    }
  }
}

/** Reads `path:line: message`, which `--tb=line` prints for each failure in the order of the summary. */
const parseLocations = (lines: readonly string[]): { path: string; line: string; message: string }[] =>
  lines.flatMap((text) => {
    const [, path, line, message] = /^(\S+\.py):(\d+): (.+)$/.exec(text) ?? [];
    return path && line && message ? [{ path, line, message }] : [];
  });
