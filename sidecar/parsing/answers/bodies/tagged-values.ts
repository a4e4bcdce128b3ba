/**
 * Reads values between tags, in three forms: `<parameter=K>v</parameter>` (or `<parameter name="K">`), a key and a value in separate
 * elements, and elements named like the parameter. A value is text, which is converted later by the tool's schema.
 */
import { parseJson } from '../../../base/values/json.ts';
import { isTextArgument } from '../../../tools/argument-aliases.ts';
import { elementAdvice } from '../parsed-answer.ts';
import { findNameEnd, AnswerText } from '../answer-text.ts';
import type { BodyReading } from './body-reader.ts';

const maxValues = 200;
const maxTagChars = 300;

/** A value whose start was read: its key, the start of its text, and the marks around it. */
interface OpenValue {
  key: string;
  start: number;
  /** Opening tag of the value, without attributes. */
  open: string;
  close: string;
  /** Mark at the beginning of the next value, if it differs from `open`. */
  sibling?: string;
  /** Set if the opening tag is missing, so that the end of the value must be guessed. */
  isUnmarked?: boolean;
  /** Mark in front of each tag. It never occurs in the text of a value. */
  tagMark?: string;
  /** Converts the text to the value. */
  convert: (text: string) => unknown;
}

/** Reads the start of the value at `offset`. Returns undefined if no value starts there. */
export type OpenValueReader = (source: AnswerText, offset: number) => OpenValue | undefined;

/** Named values of a call, in the order of the text. */
interface NamedValues {
  entries: (readonly [string, unknown])[];
  end: number;
  /** Key of the first value whose end was guessed. */
  guessedKey?: string;
  /** Key of the first value without a closing tag, which ends at the next mark. */
  unclosedKey?: string;
  problem?: string;
}

/** Reads the values that start at `offset`. `followMarks`: marks that may stand after the last value. */
export function readTaggedValues(
  source: AnswerText,
  offset: number,
  readOpenValue: OpenValueReader,
  followMarks: readonly string[],
): NamedValues {
  const values: NamedValues = { entries: [], end: offset };
  while (values.entries.length < maxValues) {
    const value = readOpenValue(source, values.end);
    if (!value) break;
    const valueEnd = findValueEnd(source, value, followMarks);
    if (!valueEnd)
      return { ...values, end: source.text.length, problem: `the value of "${value.key}" is cut off` };
    const text = source.text.slice(value.start, valueEnd.end);
    if (valueEnd.isGuessed || hasTextBesideElements(text, value.tagMark)) values.guessedKey ??= value.key;
    if (valueEnd.isUnclosed) values.unclosedKey ??= value.key;
    // If the next tag is on its own line, the line break before it is not part of the value.
    values.entries.push([value.key, value.convert(valueEnd.isUnclosed ? text.replace(/\r?\n$/u, '') : text)]);
    values.end = source.skipSpace(valueEnd.next);
  }
  return values;
}

/** Returns whether a value contains text in addition to its elements. */
const hasTextBesideElements = (text: string, tagMark = ''): boolean =>
  tagMark !== '' && text.includes(tagMark) && !text.trimStart().startsWith(`${tagMark}<`);

/** Returns a call whose values are text. The call is doubtful if the end of a value was guessed or a name occurs twice. */
export function buildTextCall(
  name: string,
  { entries, guessedKey, unclosedKey, end, problem }: NamedValues,
): BodyReading {
  if (problem !== undefined) return { calls: [], end, problem };
  const hasDuplicates = new Set(entries.map(([key]) => key)).size < entries.length;
  const describeUnclearEnd = (key: string) =>
    `the end of the value of "${key}" is ambiguous. ${elementAdvice}`;
  const duplicateDoubt = hasDuplicates ? `a value is given twice. ${elementAdvice}` : undefined;
  const doubt = guessedKey === undefined ? duplicateDoubt : describeUnclearEnd(guessedKey);
  const call = { name, arguments: Object.fromEntries(entries), isText: true as const, doubt };
  return {
    calls: [
      unclosedKey === undefined ? call : { ...call, doubtUnlessWhole: describeUnclearEnd(unclosedKey) },
    ],
    end,
  };
}

/**
 * Kind of line breaks that a template puts around a value. `each`: one before and one after; each of them is removed if present. `pair`:
 * the template adds none; they are removed only if the model wrote both, and never from a text argument.
 */
export type LineBreaks = 'each' | 'pair';

/**
 * Returns a reader of values written as `<parameter=K>v</parameter>` or `<parameter name="K">v</parameter>`. The attribute `string="false"`
 * of DSML means that the value is JSON.
 */
export function createParameterReader(prefix: string, lineBreaks: LineBreaks): OpenValueReader {
  const tags = ['parameter', 'param'].map((name) => ({
    open: `<${prefix}${name}`,
    close: `</${prefix}${name}>`,
  }));
  return (source, offset) => {
    const openTag = tags.find(({ open }) => source.text.startsWith(open, offset));
    const tag = openTag && readTag(source, offset, openTag.open);
    if (!tag) return undefined;
    const unwrap = (text: string) => unwrapLines(text, lineBreaks, tag.name);
    const convert = tag.isJson ? (text: string) => parseJson(unwrap(text)) ?? unwrap(text) : unwrap;
    return { ...openTag, key: tag.name, start: tag.end, convert };
  };
}

/** Returns a reader of values written as `<arg_key>K</arg_key><arg_value>v</arg_value>`, with `prefix` before the names in the tags. */
export function createPairReader(prefix: string): OpenValueReader {
  const key = { open: `<${prefix}arg_key>`, close: `</${prefix}arg_key>` };
  const marks = { open: `<${prefix}arg_value>`, close: `</${prefix}arg_value>`, sibling: key.open };
  return (source, offset) => {
    if (!source.text.startsWith(key.open, offset)) return undefined;
    const start = offset + key.open.length;
    const end = source.find(key.close, start);
    const name = end === -1 ? '' : source.text.slice(start, end).trim();
    const valueStart = end === -1 ? source.text.length : source.skipSpace(end + key.close.length);
    const isUnmarked = !source.text.startsWith(marks.open, valueStart);
    const convert = (text: string) => (isUnmarked ? text.trim() : unwrapLines(text, 'pair', name));
    return {
      ...marks,
      key: name,
      start: isUnmarked ? valueStart : valueStart + marks.open.length,
      isUnmarked,
      convert,
    };
  };
}

/**
 * Returns a reader of values written as `<K>v</K>`. If `tagMark` stands in front of the tags, nested elements form a list (of `item`
 * elements) or an object.
 */
export function createElementReader(tagMark = ''): OpenValueReader {
  return (source, offset) => {
    const start = offset + tagMark.length + 1;
    const end = source.text.startsWith(`${tagMark}<`, offset) ? findNameEnd(source.text, start) : start;
    const key = source.text.slice(start, end);
    if (key === '' || source.text[end] !== '>') return undefined;
    const convert = (text: string) =>
      tagMark === '' ? unwrapLines(text, 'each') : readNestedValue(text, tagMark);
    return {
      key,
      start: end + 1,
      open: `${tagMark}<${key}>`,
      close: `${tagMark}</${key}>`,
      tagMark,
      convert,
    };
  };
}

function readNestedValue(content: string, tagMark: string): unknown {
  const source = new AnswerText(content);
  const { entries, end, guessedKey, problem } = readTaggedValues(
    source,
    source.skipSpace(0),
    createElementReader(tagMark),
    [`${tagMark}<`],
  );
  const isWhole =
    guessedKey === undefined && problem === undefined && source.skipSpace(end) >= content.length;
  if (entries.length === 0 || !isWhole) return content;
  return entries.every(([key]) => key === 'item')
    ? entries.map(([, item]) => item)
    : Object.fromEntries(entries);
}

/** Reads a tag `<mark=NAME>` or `<mark name="NAME" …>`; `mark` is the given name of the tag. */
export function readTag(source: AnswerText, offset: number, mark: string) {
  const start = offset + mark.length;
  const end = source.find('>', start);
  if (end === -1 || end - start > maxTagChars) return undefined;
  const content = source.text.slice(start, end);
  // This bracket closes another tag, which begins inside the one to read.
  if (content.includes('<')) return undefined;
  const removeQuotes = (text: string) => text.trim().replace(/^["']|["']$/g, '');
  const name = content.startsWith('=')
    ? removeQuotes(content.slice(1))
    : /^\s+name\s*=\s*["']?([^"'>]*)/.exec(content)?.[1]?.trim();
  if (!name || /[\n{]/.test(name)) return undefined;
  return { name, end: end + 1, isJson: content.includes('string="false"') };
}

interface ValueEnd {
  end: number;
  /** Position at which reading continues after the value. */
  next: number;
  isGuessed?: true;
  /** Set if the value has no closing tag before the next mark. */
  isUnclosed?: true;
}

/**
 * Returns the end of a value, and the position at which reading continues. Returns undefined if the value is cut off. A closing tag counts
 * only if a plausible mark follows it. Elements inside the value are balanced first, because a file may document this very format. If the
 * closing tag was forgotten, the value ends at the call's next mark.
 */
function findValueEnd(
  source: AnswerText,
  value: OpenValue,
  followMarks: readonly string[],
): ValueEnd | undefined {
  const balancedEnd = value.isUnmarked ? undefined : findBalancedEnd(source, value, followMarks);
  if (balancedEnd) return balancedEnd;
  source.countFailure();
  const { open, close, sibling = open } = value;
  const end = source.findAny([close, sibling, ...followMarks], value.start);
  if (end === -1) return undefined;
  if (source.text.startsWith(close, end)) return { end, next: end + close.length, isGuessed: true };
  // A value may contain tags of any name, so an element named like a parameter may be part of its text.
  const isGuessed = value.isUnmarked === true || value.tagMark !== undefined;
  return { end, next: end, ...(isGuessed ? { isGuessed } : { isUnclosed: true }) };
}

function findBalancedEnd(
  source: AnswerText,
  value: OpenValue,
  followMarks: readonly string[],
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
      // The mark may also be the beginning of the next argument.
      isGuessed ||= isSibling;
    } else if (isSibling || next >= source.text.length || source.findMarkAt(followMarks, next) !== undefined)
      return { end: closing, next: position, ...(isGuessed && { isGuessed }) };
  }
}

/** Removes the line breaks that a template puts around a value. */
function unwrapLines(value: string, lineBreaks: LineBreaks, key = ''): string {
  const start = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0;
  const end = value.endsWith('\r\n') && start !== 1 ? 2 : value.endsWith('\n') ? 1 : 0;
  if (lineBreaks === 'pair' && (start === 0 || end === 0 || isTextArgument(key))) return value;
  return start + end > value.length ? '' : value.slice(start, value.length - end);
}
