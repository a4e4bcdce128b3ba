/** Reads an output according to one row of the table of runners. Pure; linear in the output. */
import {
  readFailureFields,
  joinMessage,
  collectLinesUntil,
  MAX_READ_FAILURES,
  buildNotRunTest,
  removeDuration,
} from './failure-text.ts';
import type { FailurePatterns, RunnerFormat, PassingPatterns } from './runner-format.ts';
import { addTotals } from './totals.ts';
import type {
  FailedTest,
  OutputError,
  OutputReader,
  ReaderInput,
  OutputReading,
  OutputPaths,
} from './types.ts';

type Lines = readonly string[];

const MAX_LINES_BELOW_ERROR = 4;
const MAX_TITLES = 12;

export const createReader = (format: RunnerFormat): OutputReader => ({
  runner: format.runner,
  mark: format.signPattern,
  read: ({ lines: rawLines, paths }) => {
    const { rewrite, totals, failures, separator } = format;
    const normalizeName = (name: string): string =>
      separator === undefined ? name : name.replaceAll(separator, ' > ');
    const lines = rewrite ? rawLines.flatMap(rewrite) : rawLines;
    const passing = format.passingPatterns
      ? readPassingNames(lines, format.passingPatterns).map(normalizeName)
      : [];
    const blocks = failures ? readBlocks(lines, failures) : [];
    const reading: OutputReading = { failed: [], errors: [], passing, skipped: 0 };
    if (failures) addFailures(reading, blocks, { failures, lines, paths });
    for (const test of reading.failed) test.name = normalizeName(test.name);
    for (const error of readErrors(format, { lines, paths })) reading.errors.push(error);
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    if (format.program && count(format.program.first) > count(format.program.last))
      reading.failed.push(buildNotRunTest('a program of tests ended before its result'));
    if (passing.length > 0 || !totals) reading.passed = format.passingPatterns && passing.length;
    return totals ? addTotals(reading, lines, totals, countVariants(blocks)) : reading;
  },
});

/** Returns the names of passing tests. The indentation determines the suites of a test, whose titles precede its own in the name. */
export function readPassingNames(lines: Lines, { test, suite, indent = 2 }: PassingPatterns): string[] {
  const suites: string[] = [];
  return lines.flatMap((line) => {
    const depth = Math.floor((/^ */.exec(line)?.[0].length ?? 0) / indent);
    const match = test.exec(line);
    const title = removeDuration(match?.[1] ?? '');
    const owner = match?.groups?.owner;
    if (match)
      return [[...suites.slice(0, depth), owner ? `${owner}.${title}` : title].filter(Boolean).join(' > ')];
    const [, name] = suite?.exec(line) ?? [];
    if (name !== undefined) {
      suites.length = depth;
      suites[depth] = removeDuration(name);
    }
    return [];
  });
}

/** A failure: the matched parts of its first line, and the lines below it. */
interface FailureBlock {
  groups: Partial<Record<string, string>>;
  file: string;
  index: number;
  body: Lines;
}

function readBlocks(lines: Lines, failures: FailurePatterns): FailureBlock[] {
  const { begin, above, end, sectionStart, sectionEnd, onlyListed } = failures;
  const titles = onlyListed ? readListedTitles(lines, failures) : undefined;
  const blocks: (FailureBlock & { body: string[] })[] = [];
  let [file, isOpen] = ['', sectionStart === undefined];
  let current: string[] | undefined;
  for (const [index, line] of lines.entries()) {
    file = failures.file?.exec(line)?.[1] ?? file;
    const groups = matchParts(begin, line);
    const beginsFailure =
      groups &&
      (isOpen || groups.name === undefined) &&
      above?.test(lines[index - 1] ?? '') !== false &&
      titles?.has(groups.name ?? '') !== false;
    if (beginsFailure) blocks.push({ groups, file, index, body: (current = []) });
    else if (sectionStart?.test(line)) [isOpen, current] = [true, undefined];
    else if (sectionEnd?.test(line)) [isOpen, current] = [false, undefined];
    else if (end?.test(line)) current = undefined;
    else current?.push(line);
  }
  // Several tests that fail for the same reason may share one description.
  return blocks
    .toReversed()
    .map((block, position, reversed) => {
      const next = reversed[position - 1];
      return Object.assign(block, next?.index === block.index + 1 && { body: next.body });
    })
    .toReversed();
}

const matchParts = (patterns: RegExp | readonly RegExp[], line: string): FailureBlock['groups'] | undefined =>
  [patterns]
    .flat()
    .map((pattern) => pattern.exec(line)?.groups)
    .find(Boolean);

/**
 * Returns the titles in a list of failing tests that begin a failure, without the reasons after them. A title that begins no failure is
 * returned unchanged.
 */
function readListedTitles(lines: Lines, { begin, listedPattern }: FailurePatterns): Set<string> {
  const beginningTitles = new Set(lines.map((line) => matchParts(begin, line)?.name));
  return new Set(
    lines.flatMap((line) => matchTitle(listedPattern?.exec(line)?.groups?.name, beginningTitles) ?? []),
  );
}

function matchTitle(text: string | undefined, titles: ReadonlySet<string | undefined>): string | undefined {
  for (let end = text?.length ?? 0; end > 0; end = text?.lastIndexOf(' ', end - 1) ?? 0)
    if (titles.has(text?.slice(0, end))) return text?.slice(0, end);
  return text;
}

/** Counts failures of a test in addition to its first one. */
function countVariants(blocks: readonly FailureBlock[]): number {
  const names = blocks.flatMap(({ groups }) =>
    groups.variant === undefined ? [] : `${groups.owner} ${groups.name}`,
  );
  return names.length - new Set(names).size;
}

interface FailureContext {
  failures: FailurePatterns;
  lines: Lines;
  paths: OutputPaths;
}

function addFailures(
  reading: OutputReading,
  blocks: readonly FailureBlock[],
  { failures, lines, paths }: FailureContext,
): void {
  const seen = new Set<string>();
  const byTitle = new Map<string, FailedTest>();
  for (const block of blocks) {
    const { titles, body } = splitTitle(block, failures);
    // After a long run, Jest prints its failures a second time at the end.
    const key = `${block.file} ${titles}`;
    if (block.file !== '' && seen.has(key)) continue;
    seen.add(key);
    const { read = readFailureFields } = failures;
    const fields = reading.failed.length < MAX_READ_FAILURES ? read(body, paths) : {};
    const { suite, module, name } = block.groups;
    if (name === undefined)
      addSuite(reading, suite === undefined ? { module } : { suite: suite || block.file }, { fields, paths });
    else reading.failed.push(buildTest(block, titles, { failures, fields, body, paths }));
    const added = reading.failed.at(-1);
    if (name !== undefined && added) byTitle.set(name, added);
  }
  const knownTitles = new Set<string | undefined>(byTitle.keys());
  for (const line of failures.listedPattern ? lines : []) {
    const { name, file, line: number } = failures.listedPattern?.exec(line)?.groups ?? {};
    if (name === undefined) continue;
    const title = matchTitle(name, knownTitles) ?? name;
    const place = paths.placeOf(file, number);
    const test = byTitle.get(title);
    if (test) test.place ??= place;
    else reading.failed.push({ name: removeDuration(title), place });
    knownTitles.add(title);
  }
}

function splitTitle(
  { groups, body }: FailureBlock,
  failures: FailurePatterns,
): { titles: string; body: Lines } {
  const titles = [groups.name ?? groups.suite ?? groups.module ?? ''];
  if (!failures.title) return { titles: removeDuration(titles.join('')), body };
  while (
    titles.length < MAX_TITLES &&
    titles.at(-1)?.endsWith(':') === false &&
    failures.title.test(body[titles.length - 1] ?? '')
  )
    titles.push((body[titles.length - 1] ?? '').trim());
  return { titles: titles.join(' > ').replace(/:$/, ''), body: body.slice(titles.length - 1) };
}

interface FailureParts {
  failures: FailurePatterns;
  fields: Omit<FailedTest, 'name'>;
  body: Lines;
  paths: OutputPaths;
}

function buildTest(
  { groups, file }: FailureBlock,
  title: string,
  { failures, fields, body, paths }: FailureParts,
): FailedTest {
  const { owner, variant, reason } = groups;
  const ownPath = paths.toRelative(groups.file ?? file);
  // The output does not name the place of the test itself. The nearest place is the stack frame in the test's file.
  const place =
    ownPath === undefined ? undefined : paths.findFirstFrame(body.filter((line) => line.includes(ownPath)));
  const message = [reason, fields.message].filter(Boolean).join('\n') || undefined;
  return {
    name: [[owner, title].filter(Boolean).join(failures.nameSeparator ?? ' > '), variant]
      .filter(Boolean)
      .join(' '),
    place,
    ...fields,
    message,
  };
}

function addSuite(
  reading: OutputReading,
  { suite, module = '' }: { suite?: string | undefined; module?: string | undefined },
  { fields, paths }: Pick<FailureParts, 'fields' | 'paths'>,
): void {
  const ownPath = suite === undefined ? module : (paths.toRelative(suite) ?? suite);
  const place =
    fields.frame ??
    (suite === undefined || paths.toRelative(suite) === undefined ? undefined : { path: ownPath, line: 1 });
  reading.errors.push({ message: fields.message ?? 'the tests of this file could not be run', place });
  reading.failed.push(buildNotRunTest(ownPath));
}

function readErrors(format: RunnerFormat, input: ReaderInput): OutputError[] {
  const { errors = [], warnings = [] } = format;
  const lineErrors = typeof errors === 'function' ? errors(input) : findLineErrors(errors, format, input);
  const all = lineErrors.length > 0 ? lineErrors : findLineErrors(warnings, format, input);
  // Some compilers print all errors a second time at the end.
  return [...new Map(all.map((error) => [`${error.place?.line} ${error.message}`, error])).values()];
}

function findLineErrors(
  patterns: readonly RegExp[],
  { errorFile, errorContinuation }: RunnerFormat,
  { lines, paths }: ReaderInput,
): OutputError[] {
  let file: string | undefined;
  return lines.flatMap((line, index) => {
    if (errorFile?.test(line)) file = line;
    const { path = file, line: number, message, rule } = matchParts(patterns, line) ?? {};
    if (message === undefined) return [];
    const below = lines.slice(index + 1, index + 1 + MAX_LINES_BELOW_ERROR);
    const furtherLines = errorContinuation
      ? collectLinesUntil(below, 0, (text) => !errorContinuation.test(text))
      : [];
    const text = [rule === undefined ? message : `${message} (${rule})`, ...furtherLines];
    return [{ message: joinMessage(text, paths), place: paths.placeOf(path, number) }];
  });
}
