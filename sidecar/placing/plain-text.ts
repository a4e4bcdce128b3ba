/**
 * Puts a block into a file that no grammar reads: settings, data, prose. The block is the whole file, or a part of it that
 * begins and ends with lines which the file has once; whatever it does not reach stays as it is.
 */
import { jsonrepair } from 'jsonrepair';
import { parseDocument } from 'yaml';
import { kindOf } from './answer-blocks.ts';
import { withDataPart } from './data-part.ts';
import { withLeftOut } from './elided.ts';
import { hasMark, isMark } from './marks.ts';
import { isRewritten } from './passage.ts';
import { indentOf } from '../tools/editing/folding.ts';
import { lineSimilarity } from '../tools/editing/similarity.ts';
import { lineFinder, trimmed } from './texts.ts';

/** Share of the old lines that their replacement must keep to be meant for them. */
const KEPT_SHARE = 0.6;
/** How alike a line of prose and what it has become are at least, from 0 to 1. */
const LEAST_SIMILARITY = 0.6;
/** A longer section is not compared line by line. */
const MAX_REWRITTEN_LINES = 200;

const EXTENSIONS = new Map([
  ['markdown', ['md', 'markdown', 'mdx']],
  ['md', ['md', 'markdown', 'mdx']],
  ['json', ['json']],
  ['yaml', ['yaml', 'yml']],
  ['yml', ['yaml', 'yml']],
  ['toml', ['toml']],
  ['ini', ['ini', 'cfg', 'conf']],
]);

/** Whether what stands behind a fence names the kind of file that this one is. */
export function isPlainOfInfo(info: string, path: string): boolean {
  const extensions = EXTENSIONS.get(kindOf(info)) ?? [];
  return extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`));
}

/** The file with the block in it; undefined where its place is not certain, or what it has would be lost. */
export function withPlainBlock(path: string, before: string, block: string): string | undefined {
  const isElided = hasMark(block) && !hasMark(before);
  const given = isElided ? withLeftOut(block, before) : block;
  const parse = dataOf(path);
  if (!parse || !isRead(before, parse)) return given && withText(path, before, given, isElided);
  // Data is put in by its keys: what the marks stand for stays anyway.
  const byKeys = isElided ? withDataPart(before, asData(path, withoutMarks(block), parse)) : undefined;
  if (given === undefined || byKeys !== undefined) return byKeys;
  return withData(path, before, asData(path, given, parse), { parse, isElided });
}

const withoutMarks = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !isMark(line))
    .join('\n');

/**
 * Whether a block that names no file is for this one: it can be put in, and of data it holds all that the file has. A part of
 * data shares a key with the file, as an example in an explanation may do too.
 */
export function isSurelyFor(path: string, before: string, block: string): boolean {
  const parse = dataOf(path);
  return parse
    ? keepsKeys(before, asData(path, block, parse), parse)
    : withPlainBlock(path, before, block) !== undefined;
}

const withText = (path: string, before: string, given: string, isElided: boolean): string | undefined =>
  whole(before, given) ?? (isElided ? undefined : withPart(path, before, given));

function withData(
  path: string,
  before: string,
  given: string,
  { parse, isElided }: { parse: Parse; isElided: boolean },
): string | undefined {
  if (keepsKeys(before, given, parse)) {
    const losesComments = COMMENT.test(before) && !COMMENT.test(given);
    return (losesComments ? withDataPart(before, given) : undefined) ?? given;
  }
  const after =
    (isElided ? undefined : withDataPart(before, given)) ?? withText(path, before, given, isElided);
  if (after === undefined) return undefined;
  // Where the answer marks what it leaves out, the rest is its own choice.
  const isWhole = isElided ? isRead(after, parse) : keepsKeys(before, after, parse);
  return isWhole ? after : undefined;
}

/** In YAML; JSON has none. */
const COMMENT = /(?:^|\s)#\s/;

type Parse = (text: string) => unknown;

function dataOf(path: string): Parse | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === 'json') return (text) => JSON.parse(text) as unknown;
  if (extension !== 'yaml' && extension !== 'yml') return undefined;
  return (text) => {
    const document = parseDocument(text);
    if (document.errors.length > 0) throw new Error('not YAML');
    return document.toJS() as unknown;
  };
}

/** Models comment on data as on code, and leave commas at its ends: a file that had neither gets neither. */
function asData(path: string, text: string, parse: Parse): string {
  if (isRead(text, parse)) return text;
  if (!/\.json$/i.test(path)) return text.replaceAll(/[ \t]+\/\/ .*$/gm, '');
  try {
    return jsonrepair(text).replaceAll(/[ \t]+$/gm, '');
  } catch {
    return text;
  }
}

function isRead(text: string, parse: Parse): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether both are what the file's name says, and the second has all that the first has. */
function keepsKeys(before: string, after: string, parse: Parse): boolean {
  try {
    return hasKeysOf(parse(after), parse(before), 0);
  } catch {
    return false;
  }
}

function hasKeysOf(given: unknown, old: unknown, depth: number): boolean {
  if (Array.isArray(old) && depth === 0) return Array.isArray(given) && isMostOf(given, old);
  if (typeof old !== 'object' || old === null || Array.isArray(old) || depth > 3) return true;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return Object.entries(old).every(
    ([key, value]) =>
      Object.hasOwn(given, key) && hasKeysOf((given as Record<string, unknown>)[key], value, depth + 1),
  );
}

/** Whether a list holds at least half of what the old one has: one entry alone is a part of it. */
function isMostOf(given: readonly unknown[], old: readonly unknown[]): boolean {
  const known = new Set(given.map((each) => JSON.stringify(each)));
  return old.filter((each) => known.has(JSON.stringify(each))).length * 2 >= old.length;
}

/** The block where it is the whole file: it gives as much before and behind the lines that both have as the file does. */
function whole(before: string, given: string): string | undefined {
  const old = before.split('\n');
  const lines = given.split('\n');
  if (!keepsLines(old, lines)) return undefined;
  const known = new Set(filled(lines));
  const [head, tail] = [old, old.toReversed()].map((side) => lead(side, known));
  const oldKnown = new Set(filled(old));
  const [givenHead, givenTail] = [lines, lines.toReversed()].map((side) => lead(side, oldKnown));
  const reaches = (head ?? 0) <= (givenHead ?? 0) && (tail ?? 0) <= (givenTail ?? 0);
  return reaches ? given : undefined;
}

/** How many lines stand before the first one that the other side has. */
function lead(lines: readonly string[], known: ReadonlySet<string>): number {
  const said = filled(lines);
  const at = said.findIndex((line) => known.has(line));
  return at < 0 ? said.length : at;
}

/**
 * The file with a part of it replaced: from the block's first line to its last, or the section that its first line begins. In
 * prose new lines may follow the part.
 */
function withPart(path: string, before: string, given: string): string | undefined {
  const old = before.split('\n');
  const lines = trimmed(given.split('\n'));
  const find = lineFinder(old);
  const from = find(lines[0]);
  const isProse = /\.(?:md|markdown|txt|rst)$/i.test(path);
  if (from === undefined) {
    const settings = withSettings(old, lines);
    if (settings !== undefined || !isProse) return settings;
    return lines.length === 1 ? withLine(old, lines[0] ?? '') : withNewSection(before, lines);
  }
  const last = lines.findLastIndex((line) => find(line) !== undefined);
  const to = find(lines[last]) ?? from;
  const put = (end: number): string => [...old.slice(0, from), ...lines, ...old.slice(end)].join('\n');
  if (last === lines.length - 1)
    return to >= from && keepsLines(old.slice(from, to + 1), lines) ? put(to + 1) : undefined;
  const end = isProse ? endOfChapter(old, from) : endOfParagraph(old, from);
  const isSection = isProse || !lines.includes('');
  const isComparable = end - from <= MAX_REWRITTEN_LINES && lines.length <= MAX_REWRITTEN_LINES;
  if (isSection && isComparable && isRewritten(old.slice(from, end), lines)) return put(end);
  return isProse && to >= from && keepsLines(old.slice(from, to + 1), lines, 1) ? put(to + 1) : undefined;
}

/** Where what a heading heads ends, without blank lines. */
function endOfChapter(lines: readonly string[], from: number): number {
  const level = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 0;
  const isNext = (line: string, at: number): boolean =>
    at > from && (/^#+(?= )/.exec(line)?.[0].length ?? Infinity) <= level;
  const next = lines.findIndex(isNext);
  return from + trimmed(lines.slice(from, next < 0 ? undefined : next)).length;
}

function endOfParagraph(lines: readonly string[], from: number): number {
  const blank = lines.findIndex((line, at) => at > from && line.trim() === '');
  return blank < 0 ? lines.length : blank;
}

/** One line of prose in place of the one that reads nearly so. */
function withLine(old: readonly string[], line: string): string | undefined {
  const alike = old.flatMap((each, at) =>
    lineSimilarity(each.trim(), line.trim()) >= LEAST_SIMILARITY ? [at] : [],
  );
  const [at, another] = alike;
  return at === undefined || another !== undefined ? undefined : old.with(at, line).join('\n');
}

/** A section whose heading the file has not, at its end. */
function withNewSection(before: string, lines: readonly string[]): string | undefined {
  if (!/^#{2,6} /.test(lines[0] ?? '')) return undefined;
  return `${before.trimEnd()}\n\n${lines.join('\n')}\n`;
}

const SETTING = /^\s*(?:export\s+)?(?:(["']?)([\w.-]+)\1\s*:(?=\s)|([\w.-]+)\s*[:?]?=)/;
const nameIn = (line: string): string => {
  const [, , key, name] = SETTING.exec(line) ?? [];
  return key ?? name ?? '';
};

/** Lines that give names a value, each in place of the one line that does so in the file, as deep and with its comma. */
function withSettings(old: readonly string[], given: readonly string[]): string | undefined {
  const names = old.map(nameIn);
  const places = given.map((line) => {
    const name = nameIn(line);
    const at = names.indexOf(name);
    return name !== '' && at >= 0 && names.lastIndexOf(name) === at ? at : undefined;
  });
  if (places.includes(undefined)) return undefined;
  const fresh = new Map(places.map((at, index) => [at, given[index] ?? '']));
  return old
    .map((line, at) => {
      const value = fresh.get(at)?.trim();
      if (value === undefined) return line;
      const bare = line.trimEnd().endsWith(',') ? value.replace(/,?$/, ',') : value.replace(/,$/, '');
      return indentOf(line) + bare;
    })
    .join('\n');
}

function keepsLines(old: readonly string[], given: readonly string[], share = KEPT_SHARE): boolean {
  const lines = filled(old);
  const known = new Set(filled(given));
  return lines.filter((line) => known.has(line)).length >= lines.length * share;
}

const filled = (lines: readonly string[]): string[] => lines.map((line) => line.trim()).filter(Boolean);
