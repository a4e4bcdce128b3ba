/**
 * Reads values between tags, in three spellings: `<parameter=K>v</parameter>` (or `<parameter name="K">`), a
 * key and a value in separate elements, and elements named like the parameter. A value is text; it is
 * converted later by the tool's schema.
 */
import { parseJson } from '../../../base/values/json.ts';
import { isTextArgument } from '../../../tools/argument-aliases.ts';
import { elementAdvice } from '../result.ts';
import { findNameEnd, AnswerText } from '../source.ts';
import type { BodyReading } from './body.ts';

const maxValues = 200;
const maxTagChars = 300;

/** Value with its key, the start of its text, and the marks around it. */
interface OpenValue {
  key: string;
  start: number;
  /** Opening tag, without its attributes. */
  open: string;
  close: string;
  /** Mark that begins the next value, if it differs from `open`. */
  sibling?: string;
  /** Set if the opening mark is missing and the end is therefore a guess. */
  isUnmarked?: boolean;
  /** Mark in front of each tag; it never occurs in a text. */
  before?: string;
  /** Converts the text to the value. */
  read: (text: string) => unknown;
}

/** Reads the start of the value at `at`. Returns undefined if no value starts there. */
export type Spelling = (source: AnswerText, at: number) => OpenValue | undefined;

/** Named values of a call, in the order of the text. */
interface NamedValues {
  entries: (readonly [string, unknown])[];
  end: number;
  /** Key of the first value with a guessed end. */
  guessed?: string;
  /** Key of the first value that ends at the next mark, without a closing tag. */
  unclosed?: string;
  problem?: string;
}

/** Reads the values that start at `at`. `follow`: marks that may follow the last value. */
export function readValues(
  source: AnswerText,
  at: number,
  spelling: Spelling,
  follow: readonly string[],
): NamedValues {
  const values: NamedValues = { entries: [], end: at };
  while (values.entries.length < maxValues) {
    const value = spelling(source, values.end);
    if (!value) break;
    const end = findValueEnd(source, value, follow);
    if (!end)
      return { ...values, end: source.text.length, problem: `the value of "${value.key}" is cut off` };
    const text = source.text.slice(value.start, end.end);
    if (end.isGuessed || isMixed(text, value.before)) values.guessed ??= value.key;
    if (end.isUnclosed) values.unclosed ??= value.key;
    // The line break belongs to the next tag if that is on its own line.
    values.entries.push([value.key, value.read(end.isUnclosed ? text.replace(/\r?\n$/u, '') : text)]);
    values.end = source.skipSpace(end.next);
  }
  return values;
}

/** Returns whether there is text beside the elements of a value. */
const isMixed = (text: string, before = ''): boolean =>
  before !== '' && text.includes(before) && !text.trimStart().startsWith(`${before}<`);

/**
 * Returns a call whose values are text. Marks the call as doubtful if the end of a value was guessed or a
 * name occurs twice.
 */
export function buildTextCall(
  name: string,
  { entries, guessed, unclosed, end, problem }: NamedValues,
): BodyReading {
  if (problem !== undefined) return { calls: [], end, problem };
  const isTwice = new Set(entries.map(([key]) => key)).size < entries.length;
  const describeUnclearEnd = (key: string) =>
    `the end of the value of "${key}" is ambiguous. ${elementAdvice}`;
  const duplicateDoubt = isTwice ? `a value is given twice. ${elementAdvice}` : undefined;
  const doubt = guessed === undefined ? duplicateDoubt : describeUnclearEnd(guessed);
  const call = { name, arguments: Object.fromEntries(entries), isText: true as const, doubt };
  return {
    calls: [unclosed === undefined ? call : { ...call, doubtUnlessWhole: describeUnclearEnd(unclosed) }],
    end,
  };
}

/**
 * Line breaks that a template puts around a value. `each`: one before and one after; one of each is removed.
 * `pair`: the template adds none; they are removed only if the model wrote both, and never from a text
 * argument.
 */
export type LineBreaks = 'each' | 'pair';

/**
 * Returns the spelling `<parameter=K>` or `<parameter name="K">`. DSML's attribute `string="false"` marks
 * JSON.
 */
export function createParameterSpelling(prefix: string, lines: LineBreaks): Spelling {
  const marks = ['parameter', 'param'].map((name) => ({
    open: `<${prefix}${name}`,
    close: `</${prefix}${name}>`,
  }));
  return (source, at) => {
    const mark = marks.find(({ open }) => source.text.startsWith(open, at));
    const tag = mark && readTag(source, at, mark.open);
    if (!tag) return undefined;
    const unwrap = (text: string) => unwrapLines(text, lines, tag.name);
    const read = tag.isJson ? (text: string) => parseJson(unwrap(text)) ?? unwrap(text) : unwrap;
    return { ...mark, key: tag.name, start: tag.end, read };
  };
}

/**
 * Returns the spelling `<arg_key>K</arg_key><arg_value>v</arg_value>`, with `prefix` in the names of the
 * tags.
 */
export function createPairSpelling(prefix: string): Spelling {
  const key = { open: `<${prefix}arg_key>`, close: `</${prefix}arg_key>` };
  const marks = { open: `<${prefix}arg_value>`, close: `</${prefix}arg_value>`, sibling: key.open };
  return (source, at) => {
    if (!source.text.startsWith(key.open, at)) return undefined;
    const start = at + key.open.length;
    const end = source.find(key.close, start);
    const name = end === -1 ? '' : source.text.slice(start, end).trim();
    const after = end === -1 ? source.text.length : source.skipSpace(end + key.close.length);
    const isUnmarked = !source.text.startsWith(marks.open, after);
    const read = (text: string) => (isUnmarked ? text.trim() : unwrapLines(text, 'pair', name));
    return { ...marks, key: name, start: isUnmarked ? after : after + marks.open.length, isUnmarked, read };
  };
}

/**
 * Returns the spelling `<K>v</K>`. With the mark `before`, nested elements form a list (of `item`) or an
 * object.
 */
export function createElementSpelling(before = ''): Spelling {
  return (source, at) => {
    const start = at + before.length + 1;
    const end = source.text.startsWith(`${before}<`, at) ? findNameEnd(source.text, start) : start;
    const key = source.text.slice(start, end);
    if (key === '' || source.text[end] !== '>') return undefined;
    const read = (text: string) =>
      before === '' ? unwrapLines(text, 'each') : readNestedValue(text, before);
    return { key, start: end + 1, open: `${before}<${key}>`, close: `${before}</${key}>`, before, read };
  };
}

function readNestedValue(inside: string, before: string): unknown {
  const source = new AnswerText(inside);
  const { entries, end, guessed, problem } = readValues(
    source,
    source.skipSpace(0),
    createElementSpelling(before),
    [`${before}<`],
  );
  const isWhole = guessed === undefined && problem === undefined && source.skipSpace(end) >= inside.length;
  if (entries.length === 0 || !isWhole) return inside;
  return entries.every(([key]) => key === 'item')
    ? entries.map(([, item]) => item)
    : Object.fromEntries(entries);
}

/** Reads a tag `<mark=NAME>` or `<mark name="NAME" …>`. */
export function readTag(source: AnswerText, at: number, mark: string) {
  const start = at + mark.length;
  const end = source.find('>', start);
  if (end === -1 || end - start > maxTagChars) return undefined;
  const inside = source.text.slice(start, end);
  // The bracket that was found closes another tag that begins inside this one.
  if (inside.includes('<')) return undefined;
  const removeQuotes = (text: string) => text.trim().replace(/^["']|["']$/g, '');
  const name = inside.startsWith('=')
    ? removeQuotes(inside.slice(1))
    : /^\s+name\s*=\s*["']?([^"'>]*)/.exec(inside)?.[1]?.trim();
  if (!name || /[\n{]/.test(name)) return undefined;
  return { name, end: end + 1, isJson: inside.includes('string="false"') };
}

interface ValueEnd {
  end: number;
  /** Position to continue reading at. */
  next: number;
  isGuessed?: true;
  /** Set if there is no closing tag before the next mark. */
  isUnclosed?: true;
}

/**
 * Returns the end of a value and the position to continue at. Returns undefined if the value is cut off. A
 * closing tag counts only if a plausible mark follows. Elements inside the value are balanced first, because
 * a file may document this very format. The next mark of the call replaces a forgotten closing tag.
 */
function findValueEnd(source: AnswerText, value: OpenValue, follow: readonly string[]): ValueEnd | undefined {
  const balancedEnd = value.isUnmarked ? undefined : findBalancedEnd(source, value, follow);
  if (balancedEnd) return balancedEnd;
  source.countFailure();
  const { open, close, sibling = open } = value;
  const end = source.findAny([close, sibling, ...follow], value.start);
  if (end === -1) return undefined;
  if (source.text.startsWith(close, end)) return { end, next: end + close.length, isGuessed: true };
  // Elements named like parameters cannot be distinguished from any other text with tags.
  const isGuessed = value.isUnmarked === true || value.before !== undefined;
  return { end, next: end, ...(isGuessed ? { isGuessed } : { isUnclosed: true }) };
}

function findBalancedEnd(
  source: AnswerText,
  value: OpenValue,
  follow: readonly string[],
): ValueEnd | undefined {
  const { start, open, close, sibling = open } = value;
  let depth = 1;
  let isGuessed = false;
  let position = start;
  let opening = source.find(open, start);
  for (;;) {
    const closing = source.find(close, position);
    if (closing === -1 || !source.spend(16)) return undefined;
    while (opening !== -1 && opening < closing) {
      depth += 1;
      opening = source.find(open, opening + open.length);
    }
    position = closing + close.length;
    const next = source.skipSpace(position);
    const isSibling = source.text.startsWith(sibling, next);
    if (depth > 1) {
      depth -= 1;
      // The next argument may also begin here.
      isGuessed ||= isSibling;
    } else if (isSibling || next >= source.text.length || source.findMarkAt(follow, next) !== undefined)
      return { end: closing, next: position, ...(isGuessed && { isGuessed }) };
  }
}

/** Removes the line breaks that a template puts around a value. */
function unwrapLines(value: string, lines: LineBreaks, key = ''): string {
  const start = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0;
  const end = value.endsWith('\r\n') && start !== 1 ? 2 : value.endsWith('\n') ? 1 : 0;
  if (lines === 'pair' && (start === 0 || end === 0 || isTextArgument(key))) return value;
  return start + end > value.length ? '' : value.slice(start, value.length - end);
}
