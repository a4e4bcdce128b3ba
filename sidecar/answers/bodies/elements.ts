/**
 * Bodies of nested tags: `<function=NAME><parameter=K>value</parameter></function>` and its relatives with `invoke`,
 * attributes and prefixes, and parameters as elements of their own names. Values are text; the tool's schema types
 * them later.
 */
import { parseJson } from '../../values/json.ts';
import { isTextArgument } from '../../tools/argument-aliases.ts';
import { elementAdvice, maxCalls, notRun, type RawCall } from '../result.ts';
import { nameEnd, Source } from '../source.ts';
import { readArguments, type Body, type Dialect, type Reading } from './body.ts';

const maxParameters = 200;
const maxTagChars = 300;

/**
 * How a template puts a value in lines. `each`: a line break before it and one behind it, so one of each goes. `pair`:
 * none, so they go only where the model put both, and never from a text.
 */
export type Lines = 'each' | 'pair';

/** How the tags are spelled: that of a call, its end, and those of its parameters. */
interface Spelling {
  call: string;
  callEnd: string;
  parameters: readonly { open: string; close: string }[];
  lines: Lines;
  children?: string;
}

/**
 * A reader of `function` or `invoke` elements; it reads as many calls as follow each other. `prefix` stands in the names of
 * the tags. With `before`, that mark stands before each tag, and parameters may be elements of their own names.
 */
export function elementsBody(
  family: string,
  word: 'function' | 'invoke',
  { prefix = '', before = '' } = {},
): Body {
  const spelling: Spelling = {
    call: `${before}<${prefix}${word}`,
    callEnd: `${before}</${prefix}${word}>`,
    parameters: ['parameter', 'param'].map((name) => ({
      open: `${before}<${prefix}${name}`,
      close: `${before}</${prefix}${name}>`,
    })),
    lines: word === 'function' ? 'each' : 'pair',
    ...(before !== '' && { children: before }),
  };
  return ({ source }, at, dialect) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    while (calls.length <= maxCalls && source.text.startsWith(spelling.call, position)) {
      const read = readCall(source, position, spelling, dialect);
      if (!read) break;
      calls.push(...read.calls);
      position = source.skipSpace(read.end);
      if (read.problem !== undefined) return { ...read, calls, end: position };
    }
    return calls.length === 0 ? undefined : { calls, end: position, family };
  };
}

function readCall(source: Source, at: number, spelling: Spelling, dialect: Dialect): Reading | undefined {
  const tag = readTag(source, at, spelling.call);
  // Marks and code in place of a name are text about calls.
  if (!tag || /[`"'()\s]/.test(tag.name)) return undefined;
  const { name } = tag;
  const body = source.skipSpace(tag.end);
  if (source.text[body] === '{') {
    const read = readArguments(source, body, { ...dialect, close: [spelling.callEnd, ...dialect.close] });
    if (!read.ok) return { calls: [], end: read.end, problem: notRun(name, read.reason) };
    const call: RawCall = { name, arguments: read.arguments, ...read.traces };
    return { calls: [call], end: pastMark(source, read.end, spelling.callEnd) };
  }
  const values = readParameters(source, body, spelling, dialect);
  if (values.problem !== undefined) return { calls: [], end: values.end, problem: values.problem };
  const isClosed = source.text.startsWith(spelling.callEnd, values.end);
  const isAtEnd = values.end >= source.text.length || source.markAt(dialect.close, values.end) !== undefined;
  if (values.entries.length === 0 && !isClosed && !isAtEnd) return undefined;
  return { calls: [textCall(name, values)], end: pastMark(source, values.end, spelling.callEnd) };
}

function readParameters(source: Source, at: number, spelling: Spelling, dialect: Dialect): Values {
  const follow = [spelling.callEnd, `${spelling.call}=`, `${spelling.call} `, ...dialect.close];
  const values: Values = { entries: [], end: at };
  for (;;) {
    const marks = spelling.parameters.find(({ open }) => source.text.startsWith(open, values.end));
    const tag = marks && readTag(source, values.end, marks.open);
    if (!tag && spelling.children !== undefined && values.entries.length === 0)
      return readChildren(source, at, spelling.callEnd, spelling.children);
    if (!tag || values.entries.length >= maxParameters) return values;
    const end = valueEnd(source, tag.end, { ...marks, follow });
    if (!end) return { ...values, end: source.text.length, problem: `the value of "${tag.name}" is cut off` };
    if (end.isGuessed) values.guessed ??= tag.name;
    const value = unwrapLines(source.text.slice(tag.end, end.end), spelling.lines, tag.name);
    values.entries.push([tag.name, tag.isJson ? (parseJson(value) ?? value) : value]);
    values.end = source.skipSpace(end.next);
  }
}

/** `<mark=NAME>` or `<mark name="NAME" …>`; `isJson` is the attribute `string="false"` of DSML. */
function readTag(source: Source, at: number, mark: string) {
  const start = at + mark.length;
  const end = source.find('>', start);
  if (end === -1 || end - start > maxTagChars) return undefined;
  const inside = source.text.slice(start, end);
  // Another tag begins in it: the bracket closes that one.
  if (inside.includes('<')) return undefined;
  const unquoted = (text: string) => text.trim().replace(/^["']|["']$/g, '');
  const name = inside.startsWith('=')
    ? unquoted(inside.slice(1))
    : /^\s+name\s*=\s*["']?([^"'>]*)/.exec(inside)?.[1]?.trim();
  if (!name || /[\n{]/.test(name)) return undefined;
  return { name, end: end + 1, isJson: inside.includes('string="false"') };
}

/** Values of a call, by name, in the order of the text. */
export interface Values {
  entries: (readonly [string, unknown])[];
  end: number;
  /** The first value without an end of its own. */
  guessed?: string;
  problem?: string;
}

/** A call whose values are text. It is in doubt where a value's end was guessed, or a name stands there twice. */
export function textCall(name: string, { entries, guessed }: Values): RawCall {
  const isTwice = new Set(entries.map(([key]) => key)).size < entries.length;
  const what =
    guessed === undefined
      ? isTwice && 'a value is given twice'
      : `the end of the value of "${guessed}" is not clear`;
  const doubt = what === false ? undefined : `${what}. ${elementAdvice}`;
  return { name, arguments: Object.fromEntries(entries), isText: true, doubt };
}

export interface ValueMarks {
  /** How an element of this kind opens, without its attributes. */
  open: string;
  close: string;
  /** What may stand after a value's real end. */
  follow: readonly string[];
  /** How the next element begins where that is not `open`. */
  sibling?: string;
}

interface ValueEnd {
  end: number;
  /** Where reading goes on. */
  next: number;
  isGuessed?: true;
}

/**
 * Where the value that starts at `from` ends, and where reading goes on; undefined when it is cut off. A closing tag
 * ends the value only when something plausible follows; elements inside the value are balanced first, so that a file
 * which documents this very format survives; a closing tag that was forgotten is made up for by the next element,
 * which is a guess and said to be one.
 */
export function valueEnd(source: Source, from: number, marks: ValueMarks): ValueEnd | undefined {
  const balanced = balancedEnd(source, from, marks);
  if (balanced) return balanced;
  source.countFailure();
  return guessedEnd(source, from, marks);
}

/** A value without an end of its own goes up to the next mark of its call. */
export function guessedEnd(source: Source, from: number, marks: ValueMarks): ValueEnd | undefined {
  const { close, open, sibling = open, follow } = marks;
  const end = source.findAny([close, sibling, ...follow], from);
  const next = source.text.startsWith(close, end) ? end + close.length : end;
  return end === -1 ? undefined : { end, next, isGuessed: true };
}

function balancedEnd(source: Source, from: number, marks: ValueMarks): ValueEnd | undefined {
  let depth = 1;
  let isGuessed = false;
  let position = from;
  let opening = source.find(marks.open, from);
  for (;;) {
    const closing = source.find(marks.close, position);
    if (closing === -1 || !source.spend(16)) return undefined;
    while (opening !== -1 && opening < closing) {
      depth += 1;
      opening = source.find(marks.open, opening + marks.open.length);
    }
    position = closing + marks.close.length;
    if (depth === 1 && isFollowed(source, position, marks))
      return { end: closing, next: position, ...(isGuessed && { isGuessed }) };
    if (depth === 1) continue;
    depth -= 1;
    // The next argument may begin here as well.
    isGuessed ||= source.text.startsWith(marks.sibling ?? marks.open, source.skipSpace(position));
  }
}

function isFollowed(source: Source, at: number, marks: ValueMarks): boolean {
  const next = source.skipSpace(at);
  return (
    next >= source.text.length ||
    source.text.startsWith(marks.sibling ?? marks.open, next) ||
    source.markAt(marks.follow, next) !== undefined
  );
}

/** A value without the line breaks that its template puts around it. */
export function unwrapLines(value: string, lines: Lines, key = ''): string {
  const start = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0;
  const end = value.endsWith('\r\n') && start !== 1 ? 2 : value.endsWith('\n') ? 1 : 0;
  if (lines === 'pair' && (start === 0 || end === 0 || isTextArgument(key))) return value;
  return start + end > value.length ? '' : value.slice(start, value.length - end);
}

/**
 * Parameters as elements of their own names, `<path>a.ts</path>`, up to the closing tag `close` of what is around them.
 * With a `prefix` before each tag, elements in a value are a list (of `item`) or an object.
 */
export function readChildren(source: Source, at: number, close: string, prefix = ''): Values {
  const { text } = source;
  const values: Values = { entries: [], end: at };
  while (text.startsWith(`${prefix}<`, values.end) && values.entries.length < maxParameters) {
    const start = values.end + prefix.length + 1;
    const end = nameEnd(text, start);
    const key = text.slice(start, end);
    if (key === '' || text[end] !== '>') break;
    const tags = { open: `${prefix}<${key}>`, close: `${prefix}</${key}>`, follow: [close, `${prefix}<`] };
    const value = valueEnd(source, end + 1, tags);
    const isCutOff = !value || value.next === value.end;
    if (isCutOff && prefix !== '') return { ...values, problem: `the value of "${key}" is cut off` };
    if (isCutOff) break;
    const inside = text.slice(end + 1, value.end);
    if (value.isGuessed || isMixed(inside, prefix)) values.guessed ??= key;
    values.entries.push([key, prefix === '' ? unwrapLines(inside, 'each') : nestedValue(inside, prefix)]);
    values.end = source.skipSpace(value.next);
  }
  return values;
}

/** Whether text stands beside the elements of a value. */
const isMixed = (inside: string, prefix: string): boolean =>
  prefix !== '' && inside.includes(prefix) && !inside.trimStart().startsWith(`${prefix}<`);

function nestedValue(inside: string, prefix: string): unknown {
  if (!inside.trimStart().startsWith(`${prefix}<`)) return inside;
  const source = new Source(inside);
  const { entries, end, guessed } = readChildren(source, source.skipSpace(0), prefix, prefix);
  if (guessed !== undefined || source.skipSpace(end) < inside.length) return inside;
  return entries.every(([key]) => key === 'item')
    ? entries.map(([, item]) => item)
    : Object.fromEntries(entries);
}

export function pastMark(source: Source, at: number, mark: string): number {
  const position = source.skipSpace(at);
  return source.text.startsWith(mark, position) ? position + mark.length : at;
}
