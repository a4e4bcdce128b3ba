/**
 * Bodies that are JSON: calls as objects or lists, several in a row, in a code fence or not; and arguments as
 * JSON after a name that the format's own marks gave.
 */
import { taggedCalls } from '../call-shapes.ts';
import { jsonAdvice, readJson } from '../json-value.ts';
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { type BodyReader, type Format } from './format.ts';

const cutOff = 'the tool call is cut off in the middle of a value';
/** Closing marks and the next call end JSON whose brackets were forgotten, and so does a fence. */
const marksAfter = new WeakMap<Format, readonly string[]>();

/** One or more JSON values, with commas, semicolons or nothing between them. */
export const jsonBody: BodyReader = ({ source, tools }, at, format) => {
  let position = skipFence(source, at);
  if (!isBracket(source.text[position])) return undefined;
  const { limit, closed } = bodyLimit(source, position, format);
  const calls: RawCall[] = [];
  let problem: string | undefined;
  let empty = false;
  while (isBracket(source.text[position])) {
    const value = readJson(source, position, Math.max(limit, position + 1), endsOf(format));
    if (!value.ok || (value.isOpen && !closed)) {
      problem = value.ok ? cutOff : value.reason;
      position = value.end;
      break;
    }
    const found = taggedCalls(value.value, tools);
    calls.push(...found.map((call) => ({ ...call, ...tracesOf(value) })));
    empty ||= found.length === 0;
    position = skipSeparators(source, value.end);
  }
  if (calls.length === 0 && problem === undefined && empty && !isEmptyList(source, at, position))
    problem = 'the tool call has no name';
  return { calls, end: position, ...(calls.length === 0 && problem !== undefined && { problem }) };
};

/** What an argument object after a name gives; text that is not JSON even after repair stays text. */
export interface ArgumentsReading {
  arguments: unknown;
  end: number;
  repaired?: boolean;
  uncertain?: string;
  problem?: string;
}

/** What reading left on a call: that it was mended, or that it is not certain. */
export function tracesOf({ repaired, uncertain }: { repaired?: boolean; uncertain?: string }): {
  repaired?: true;
  uncertain?: string;
} {
  return { ...(repaired && { repaired }), ...(uncertain !== undefined && { uncertain }) };
}

function endsOf(format: Format): readonly string[] {
  const known = marksAfter.get(format);
  if (known) return known;
  const marks = [...format.close, '```', ...(format.readsMark ? [] : [format.open])];
  marksAfter.set(format, marks);
  return marks;
}

export function readArguments(source: Source, at: number, format: Format): ArgumentsReading {
  const position = skipFence(source, at);
  const { limit, closed } = bodyLimit(source, position, format);
  if (!isBracket(source.text[position])) {
    const text = source.text.slice(position, limit).trim();
    // Without a mark behind it even the name may be half of one.
    if (text === '' && !closed) return { arguments: {}, end: limit, problem: cutOff };
    return { arguments: text === '' ? {} : text, end: limit };
  }
  const value = readJson(source, position, limit, endsOf(format));
  if (!value.ok) {
    const uncertain = `${value.reason}. ${jsonAdvice}`;
    return { arguments: source.text.slice(position, limit).trim(), end: limit, uncertain };
  }
  if (value.isOpen && !closed) return { arguments: {}, end: limit, problem: cutOff };
  return { arguments: value.value, end: skipFenceEnd(source, value.end), ...tracesOf(value) };
}

/** Where a body must end when its brackets do not tell: at its closing mark, at the next call, or with the text. */
function bodyLimit(source: Source, at: number, format: Format): { limit: number; closed: boolean } {
  const closing = source.findAny(format.close, at);
  const next = format.readsMark ? -1 : source.find(format.open, at);
  if (closing !== -1 && (next === -1 || closing < next)) return { limit: closing, closed: true };
  return next === -1 ? { limit: source.text.length, closed: false } : { limit: next, closed: true };
}

export function isBracket(char: string | undefined): boolean {
  return char === '{' || char === '[';
}

/** Past white space and the opening line of a code fence. */
export function skipFence(source: Source, at: number): number {
  const position = source.skipSpace(at);
  if (!source.text.startsWith('```', position)) return position;
  let end = position + 3;
  while (end - position < 20 && /[a-z_]/i.test(source.text[end] ?? '')) end += 1;
  return source.skipSpace(end);
}

function skipFenceEnd(source: Source, at: number): number {
  const position = source.skipSpace(at);
  return source.text.startsWith('```', position) ? position + 3 : at;
}

/** Past what may stand between two values or before the closing mark: stray brackets and a fence's end too. */
function skipSeparators(source: Source, at: number): number {
  let position = source.skipSpace(at);
  while (',;}]`'.includes(source.text[position] ?? '.')) position = source.skipSpace(position + 1);
  return position;
}

function isEmptyList(source: Source, from: number, to: number): boolean {
  return source.text.slice(from, Math.min(to, from + 100)).replace(/[\s[\]{},;`]|json/g, '') === '';
}
