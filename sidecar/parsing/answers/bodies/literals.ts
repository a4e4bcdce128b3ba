/** Reads bodies that are literals: whole calls in JSON, or a name followed by its arguments in JSON or in Gemma's notation. */
import { readLiteral } from '../../../base/values/literal.ts';
import { MAX_CALLS, formatNotRun, type RawCall } from '../parsed-answer.ts';
import { readMarkedCalls } from '../call-shapes.ts';
import { matchAt, type AnswerText } from '../answer-text.ts';
import { readValue } from '../read-value.ts';
import {
  findBodyLimit,
  isBracket,
  readCallArguments,
  skipFence,
  type BodyReader,
  type BodyReading,
} from './body-reader.ts';

/** Matches the text allowed between two values or before the closing mark, including stray brackets. */
const separators = /[\s,;}\]]*/y;
const fencedSeparators = /(?:[\s,;}\]]|```(?!\w))*/y;

/** Reads calls written as objects or lists, one or several, with or without a code fence. */
export const readJsonBody: BodyReader = ({ source, tools }, offset, dialect) => {
  let position = skipFence(source, offset);
  const separatorsBetween = position > source.skipSpace(offset) ? fencedSeparators : separators;
  if (!isBracket(source.text[position])) return undefined;
  const calls: RawCall[] = [];
  let isNameless = false;
  while (isBracket(source.text[position])) {
    const value = readValue(source, position, findBodyLimit(source, position, dialect));
    if (!value.ok) return { calls, end: calls.length > 0 ? position : value.end, problem: value.reason };
    const readCalls = readMarkedCalls(value.value, tools);
    calls.push(...readCalls.map((call) => ({ ...call, ...value.repair })));
    isNameless ||= readCalls.length === 0 && !(Array.isArray(value.value) && value.value.length === 0);
    position = value.end + (matchAt(separatorsBetween, source.text, value.end)?.[0].length ?? 0);
  }
  return { calls, end: position, isNameless };
};

const maxHeaderChars = 400;

/**
 * Returns a reader of consecutive calls. `header` (sticky, with the groups `name` and `id`) matches the text before the arguments.
 * `textMark`: mark that encloses each text.
 */
export function createNamedBody(
  header: RegExp,
  { family, textMark }: { family?: string | undefined; textMark?: string } = {},
): BodyReader {
  return ({ source }, offset, dialect) => {
    const calls: RawCall[] = [];
    let position = offset;
    while (calls.length <= MAX_CALLS) {
      const match = matchAt(header, source.text.slice(position, position + maxHeaderChars), 0);
      const name = match?.groups?.name;
      if (!match || name === undefined) break;
      const id = match.groups?.id;
      const start = position + match[0].length;
      const reading =
        textMark === undefined
          ? readCallArguments(source, name, start, dialect)
          : readTextArguments(source, name, start, textMark);
      if (reading.problem !== undefined) return { ...reading, calls };
      calls.push(...reading.calls.map((call) => (id === undefined ? call : { ...call, id })));
      position = source.skipSpace(reading.end);
    }
    if (calls.length === 0) return undefined;
    return { calls, end: position, ...(family !== undefined && { family }) };
  };
}

/** Reads arguments in Gemma's notation. Values stay text until the tool's schema determines their type. */
function readTextArguments(source: AnswerText, name: string, offset: number, textMark: string): BodyReading {
  const literal = readLiteral(source.text, offset, { textMark });
  if (literal.ok) return { calls: [{ name, arguments: literal.value, isText: true }], end: literal.end };
  source.countFailure(literal.position - offset);
  return {
    calls: [],
    end: offset + 1,
    problem: formatNotRun(name, 'its arguments are cut off or unreadable'),
  };
}
