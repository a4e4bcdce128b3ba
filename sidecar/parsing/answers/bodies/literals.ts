/** Reads bodies of literals: whole calls in JSON, or a name followed by its arguments in JSON or Gemma's notation. */
import { readLiteral } from '../../../base/values/literal.ts';
import { MAX_CALLS, formatNotRun, type RawCall } from '../result.ts';
import { readMarkedCalls } from '../shapes.ts';
import { matchAt, type AnswerText } from '../source.ts';
import { readValue } from '../value.ts';
import { findBodyLimit, isBracket, readNamed, skipFence, type BodyReader, type BodyReading } from './body.ts';

/** Text allowed between two values or before the closing mark, including stray brackets. */
const separators = /[\s,;}\]]*/y;
const fencedSeparators = /(?:[\s,;}\]]|```(?!\w))*/y;

/** Reads calls as objects or lists, one or several, fenced or not. */
export const readJsonBody: BodyReader = ({ source, tools }, at, dialect) => {
  let position = skipFence(source, at);
  const between = position > source.skipSpace(at) ? fencedSeparators : separators;
  if (!isBracket(source.text[position])) return undefined;
  const calls: RawCall[] = [];
  let isNameless = false;
  while (isBracket(source.text[position])) {
    const value = readValue(source, position, findBodyLimit(source, position, dialect));
    if (!value.ok) return { calls, end: calls.length > 0 ? position : value.end, problem: value.reason };
    const found = readMarkedCalls(value.value, tools);
    calls.push(...found.map((call) => ({ ...call, ...value.traces })));
    isNameless ||= found.length === 0 && !(Array.isArray(value.value) && value.value.length === 0);
    position = value.end + (matchAt(between, source.text, value.end)?.[0].length ?? 0);
  }
  return { calls, end: position, isNameless };
};

const maxHeaderChars = 400;

/**
 * Returns a reader of consecutive calls. `header` (sticky, with the groups `name` and `id`) matches the text before the
 * arguments. `textMark` encloses each text.
 */
export function createNamedBody(
  header: RegExp,
  { family, textMark }: { family?: string | undefined; textMark?: string } = {},
): BodyReader {
  return ({ source }, at, dialect) => {
    const calls: RawCall[] = [];
    let position = at;
    while (calls.length <= MAX_CALLS) {
      const found = matchAt(header, source.text.slice(position, position + maxHeaderChars), 0);
      const name = found?.groups?.name;
      if (!found || name === undefined) break;
      const id = found.groups?.id;
      const start = position + found[0].length;
      const read =
        textMark === undefined
          ? readNamed(source, name, start, dialect)
          : readTexts(source, name, start, textMark);
      if (read.problem !== undefined) return { ...read, calls };
      calls.push(...read.calls.map((call) => (id === undefined ? call : { ...call, id })));
      position = source.skipSpace(read.end);
    }
    if (calls.length === 0) return undefined;
    return { calls, end: position, ...(family !== undefined && { family }) };
  };
}

/** Reads arguments in Gemma's notation. Values remain text until they are converted by the tool's schema. */
function readTexts(source: AnswerText, name: string, at: number, textMark: string): BodyReading {
  const read = readLiteral(source.text, at, { textMark });
  if (read.ok) return { calls: [{ name, arguments: read.value, isText: true }], end: read.end };
  source.countFailure(read.position - at);
  return { calls: [], end: at + 1, problem: formatNotRun(name, 'its arguments are cut off or unreadable') };
}
