/** Reads an output by a row of the table of runners. Pure; linear in the output. */
import {
  readFailureFields,
  joinMessage,
  collectLinesUntil,
  MAX_READ_FAILURES,
  notRunTest,
  removeDuration,
} from './failure-text.ts';
import type { Failures, Format, PassingTests } from './format.ts';
import { addTotals } from './totals.ts';
import type { FailedTest, OutputError, Reader, ReaderInput, Reading, WorkspacePaths } from './types.ts';

type Lines = readonly string[];

const MAX_LINES_BELOW_ERROR = 4;
const MAX_TITLES = 12;

export const readerOf = (format: Format): Reader => ({
  runner: format.runner,
  mark: format.mark,
  read: ({ lines: printed, paths }) => {
    const { rewrite, totals, failures, separator } = format;
    const clean = (name: string): string =>
      separator === undefined ? name : name.replaceAll(separator, ' > ');
    const lines = rewrite ? printed.flatMap(rewrite) : printed;
    const passing = format.passing ? readPassingNames(lines, format.passing).map(clean) : [];
    const blocks = failures ? blocksOf(lines, failures) : [];
    const reading: Reading = { failed: [], errors: [], passing, skipped: 0 };
    if (failures) addFailures(reading, blocks, { failures, lines, paths });
    for (const test of reading.failed) test.name = clean(test.name);
    reading.errors.push(...errorsOf(format, { lines, paths }));
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    if (format.program && count(format.program.first) > count(format.program.last))
      reading.failed.push(notRunTest('a program of tests ended before its result'));
    if (passing.length > 0 || !totals) reading.passed = format.passing && passing.length;
    return totals ? addTotals(reading, lines, totals, variantsOf(blocks)) : reading;
  },
});

/** Returns the names of passing tests, each with the suites above it by indentation. */
export function readPassingNames(lines: Lines, { test, suite, indent = 2 }: PassingTests): string[] {
  const suites: string[] = [];
  return lines.flatMap((line) => {
    const depth = Math.floor((/^ */.exec(line)?.[0].length ?? 0) / indent);
    const found = test.exec(line);
    const title = removeDuration(found?.[1] ?? '');
    const owner = found?.groups?.owner;
    if (found)
      return [[...suites.slice(0, depth), owner ? `${owner}.${title}` : title].filter(Boolean).join(' > ')];
    const [, name] = suite?.exec(line) ?? [];
    if (name !== undefined) {
      suites.length = depth;
      suites[depth] = removeDuration(name);
    }
    return [];
  });
}

/** One failure: the parts of the line that begins it, and the lines below it. */
interface Block {
  groups: Partial<Record<string, string>>;
  file: string;
  index: number;
  body: Lines;
}

function blocksOf(lines: Lines, failures: Failures): Block[] {
  const { begin, above, end, from, to, onlyListed } = failures;
  const titles = onlyListed ? readListedTitles(lines, failures) : undefined;
  const blocks: (Block & { body: string[] })[] = [];
  let [file, isOpen] = ['', from === undefined];
  let current: string[] | undefined;
  for (const [index, line] of lines.entries()) {
    file = failures.file?.exec(line)?.[1] ?? file;
    const groups = partsOf(begin, line);
    const isOne =
      groups &&
      (isOpen || groups.name === undefined) &&
      above?.test(lines[index - 1] ?? '') !== false &&
      titles?.has(groups.name ?? '') !== false;
    if (isOne) blocks.push({ groups, file, index, body: (current = []) });
    else if (from?.test(line)) [isOpen, current] = [true, undefined];
    else if (to?.test(line)) [isOpen, current] = [false, undefined];
    else if (end?.test(line)) current = undefined;
    else current?.push(line);
  }
  // Tests that fail for the same reason may share one description.
  return blocks
    .toReversed()
    .map((block, at, all) => {
      const next = all[at - 1];
      return Object.assign(block, next?.index === block.index + 1 && { body: next.body });
    })
    .toReversed();
}

const partsOf = (patterns: RegExp | readonly RegExp[], line: string): Block['groups'] | undefined =>
  [patterns]
    .flat()
    .map((pattern) => pattern.exec(line)?.groups)
    .find(Boolean);

/**
 * Returns the listed titles that begin a failure, without the reasons behind them. A title that begins no
 * failure is returned whole.
 */
function readListedTitles(lines: Lines, { begin, listed }: Failures): Set<string> {
  const begun = new Set(lines.map((line) => partsOf(begin, line)?.name));
  return new Set(lines.flatMap((line) => titleOf(listed?.exec(line)?.groups?.name, begun) ?? []));
}

function titleOf(text: string | undefined, titles: ReadonlySet<string | undefined>): string | undefined {
  for (let end = text?.length ?? 0; end > 0; end = text?.lastIndexOf(' ', end - 1) ?? 0)
    if (titles.has(text?.slice(0, end))) return text?.slice(0, end);
  return text;
}

/** Counts the failures beyond the first one of each test. */
function variantsOf(blocks: readonly Block[]): number {
  const names = blocks.flatMap(({ groups }) =>
    groups.variant === undefined ? [] : `${groups.owner} ${groups.name}`,
  );
  return names.length - new Set(names).size;
}

interface Context {
  failures: Failures;
  lines: Lines;
  paths: WorkspacePaths;
}

function addFailures(reading: Reading, blocks: readonly Block[], { failures, lines, paths }: Context): void {
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
    else reading.failed.push(testOf(block, titles, { failures, fields, body, paths }));
    const added = reading.failed.at(-1);
    if (name !== undefined && added) byTitle.set(name, added);
  }
  const known = new Set<string | undefined>(byTitle.keys());
  for (const line of failures.listed ? lines : []) {
    const { name, file, line: number } = failures.listed?.exec(line)?.groups ?? {};
    if (name === undefined) continue;
    const title = titleOf(name, known) ?? name;
    const place = paths.place(file, number);
    const test = byTitle.get(title);
    if (test) test.place ??= place;
    else reading.failed.push({ name: removeDuration(title), place });
    known.add(title);
  }
}

function splitTitle({ groups, body }: Block, failures: Failures): { titles: string; body: Lines } {
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
  failures: Failures;
  fields: Omit<FailedTest, 'name'>;
  body: Lines;
  paths: WorkspacePaths;
}

function testOf(
  { groups, file }: Block,
  title: string,
  { failures, fields, body, paths }: FailureParts,
): FailedTest {
  const { owner, variant, reason } = groups;
  const own = paths.relative(groups.file ?? file);
  // The output has no place for the test itself. The nearest place is the frame in the test's file.
  const place = own === undefined ? undefined : paths.firstFrame(body.filter((line) => line.includes(own)));
  const message = [reason, fields.message].filter(Boolean).join('\n') || undefined;
  return {
    name: [[owner, title].filter(Boolean).join(failures.joint ?? ' > '), variant].filter(Boolean).join(' '),
    place,
    ...fields,
    message,
  };
}

function addSuite(
  reading: Reading,
  { suite, module = '' }: { suite?: string | undefined; module?: string | undefined },
  { fields, paths }: Pick<FailureParts, 'fields' | 'paths'>,
): void {
  const own = suite === undefined ? module : (paths.relative(suite) ?? suite);
  const place =
    fields.frame ??
    (suite === undefined || paths.relative(suite) === undefined ? undefined : { path: own, line: 1 });
  reading.errors.push({ message: fields.message ?? 'the tests of this file could not be run', place });
  reading.failed.push(notRunTest(own));
}

function errorsOf(format: Format, input: ReaderInput): OutputError[] {
  const { errors = [], warnings = [] } = format;
  const found = typeof errors === 'function' ? errors(input) : findLineErrors(errors, format, input);
  const all = found.length > 0 ? found : findLineErrors(warnings, format, input);
  // Some compilers print all errors a second time at the end.
  return [...new Map(all.map((error) => [`${error.place?.line} ${error.message}`, error])).values()];
}

function findLineErrors(
  patterns: readonly RegExp[],
  { errorFile, errorBelow }: Format,
  { lines, paths }: ReaderInput,
): OutputError[] {
  let file: string | undefined;
  return lines.flatMap((line, index) => {
    if (errorFile?.test(line)) file = line;
    const { path = file, line: number, message, rule } = partsOf(patterns, line) ?? {};
    if (message === undefined) return [];
    const below = lines.slice(index + 1, index + 1 + MAX_LINES_BELOW_ERROR);
    const more = errorBelow ? collectLinesUntil(below, 0, (text) => !errorBelow.test(text)) : [];
    const text = [rule === undefined ? message : `${message} (${rule})`, ...more];
    return [{ message: joinMessage(text, paths), place: paths.place(path, number) }];
  });
}
