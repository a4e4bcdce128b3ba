/**
 * Bodies of nested tags: `<function=NAME><parameter=K>value</parameter></function>` and its relatives with
 * `invoke`, attributes and prefixes. Values are text; the tool's schema types them later.
 */
import { parseJson } from '../../../values/json.ts';
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { elementEnd, unwrapLines, whyUncertain } from './element.ts';
import { bareName, markAt, type BodyReader, type Format } from './format.ts';
import { readArguments, tracesOf } from './json-body.ts';

const maxParameters = 200;

interface Dialect {
  family: string;
  /** `<function`, `<｜DSML｜invoke`, …: without `=NAME` or attributes. */
  call: string;
  callEnd: string;
  /** Several spellings of the parameter's tag, each with its closing tag. */
  parameters: readonly { open: string; close: string }[];
  lines: 'each' | 'pair';
}

/** A reader for one spelling of the tags; it reads as many calls as follow each other. */
export function xmlBody(dialect: Dialect): BodyReader {
  const closers = [dialect.callEnd, ...dialect.parameters.map(({ close }) => close)];
  return ({ source }, at, format) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    let problem: string | undefined;
    while (source.text.startsWith(dialect.call, position)) {
      const read = readCall(source, position, dialect, format);
      if (!read) break;
      if (read.call) calls.push(read.call);
      problem ??= read.problem;
      position = source.skipSpace(read.end);
    }
    if (calls.length === 0 && problem === undefined) return undefined;
    return {
      calls,
      end: position,
      family: dialect.family,
      closers,
      ...(calls.length === 0 && problem !== undefined && { problem }),
    };
  };
}

interface CallReading {
  end: number;
  call?: RawCall;
  problem?: string;
}

function readCall(source: Source, at: number, dialect: Dialect, format: Format): CallReading | undefined {
  const tag = readTag(source, at, dialect.call);
  if (!tag) return undefined;
  const name = bareName(tag.name);
  // Marks and code in place of a name are text about calls.
  if (/[`"'()\s]/.test(name)) return undefined;
  const body = source.skipSpace(tag.end);
  if (source.text[body] === '{') {
    const closing = { ...format, close: [dialect.callEnd, ...format.close] };
    const { problem, end, arguments: value, ...traces } = readArguments(source, body, closing);
    const call: RawCall = { name, arguments: value, ...tracesOf(traces) };
    return { end: pastMark(source, end, dialect.callEnd), ...(problem ? { problem } : { call }) };
  }
  const parameters = readParameters(source, body, dialect, format);
  if (parameters.problem !== undefined) return { problem: parameters.problem, end: parameters.end };
  const closed = source.text.startsWith(dialect.callEnd, parameters.end);
  const atEnd = parameters.end >= source.text.length || markAt(source, format.close, parameters.end);
  if (parameters.entries.length === 0 && !closed && !atEnd) return undefined;
  return {
    call: {
      name,
      arguments: Object.fromEntries(parameters.entries),
      isText: true,
      ...tracesOf({ uncertain: whyUncertain(parameters.entries, parameters.guessed) }),
    },
    end: closed ? parameters.end + dialect.callEnd.length : parameters.end,
  };
}

function readParameters(source: Source, at: number, dialect: Dialect, format: Format) {
  const entries: [string, unknown][] = [];
  let guessed: string | undefined;
  const follow = [dialect.callEnd, `${dialect.call}=`, `${dialect.call} `, ...format.close];
  let position = at;
  for (;;) {
    const spelling = dialect.parameters.find(({ open }) => source.text.startsWith(open, position));
    const tag = spelling && readTag(source, position, spelling.open);
    if (!tag || entries.length >= maxParameters) return { entries, guessed, end: position };
    const end = elementEnd(source, tag.end, { ...spelling, follow });
    if (!end)
      return { entries, guessed, end: source.text.length, problem: `the value of "${tag.name}" is cut off` };
    if (end.isGuessed) guessed ??= tag.name;
    const value = unwrapLines(source.text.slice(tag.end, end.valueEnd), dialect.lines, tag.name);
    entries.push([tag.name, tag.isText === false ? (parseJson(value) ?? value) : value]);
    position = source.skipSpace(end.next);
  }
}

/** `<mark=NAME>` or `<mark name="NAME" …>`; `isText` is the `string` attribute of DSML. */
function readTag(source: Source, at: number, mark: string) {
  const start = at + mark.length;
  const end = source.find('>', start);
  if (end === -1 || end - start > 300) return undefined;
  const inside = source.text.slice(start, end);
  // Another tag begins in it: the bracket closes that one.
  if (inside.includes('<')) return undefined;
  const named = inside.startsWith('=')
    ? inside
        .slice(1)
        .trim()
        .replace(/^["']|["']$/g, '')
    : /^\s+name\s*=\s*["']?([^"'>]*)/.exec(inside)?.[1]?.trim();
  if (!named || /[\n{]/.test(named)) return undefined;
  const isText = inside.includes('string="false"') ? false : undefined;
  return { name: named, end: end + 1, isText };
}

function pastMark(source: Source, at: number, mark: string): number {
  const position = source.skipSpace(at);
  return source.text.startsWith(mark, position) ? position + mark.length : at;
}
