/**
 * Bodies that begin with the tool's name: GLM's pairs (`NAME<arg_key>k</arg_key><arg_value>v</arg_value>`), with
 * prefixes and separators of its relatives, or a name and then JSON.
 */
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { elementEnd, unwrapLines, whyUncertain, type ElementMarks } from './element.ts';
import { bareName, markAt, nameEnd, type BodyReader, type Format } from './format.ts';
import { readArguments, tracesOf } from './json-body.ts';

const separator = '<tool_sep>';

/** `prefix` stands before `arg_key` and `arg_value` in the tags' names. */
export function keyValueBody(family: string, prefix = ''): BodyReader {
  const keyOpen = `<${prefix}arg_key>`;
  const keyClose = `</${prefix}arg_key>`;
  const closers = [keyClose, `</${prefix}arg_value>`];
  return ({ source }, at, format) => {
    const start = source.skipSpace(at);
    const afterName = nameEnd(source.text, start);
    if (afterName === start) return undefined;
    const name = bareName(source.text.slice(start, afterName));
    let position = source.skipSpace(afterName);
    const separated = source.text.startsWith(separator, position);
    if (separated) position = source.skipSpace(position + separator.length);
    const named = separated ? 'hunyuan' : family;
    if (source.text.startsWith(keyOpen, position)) {
      const pairs = readPairs(source, position, prefix, keyClose, format);
      if (pairs.problem !== undefined) return { calls: [], end: pairs.end, problem: pairs.problem };
      const call: RawCall = {
        name,
        arguments: Object.fromEntries(pairs.entries),
        isText: true,
        ...tracesOf({ uncertain: whyUncertain(pairs.entries, pairs.guessed) }),
      };
      return { calls: [call], end: pairs.end, family: named, closers };
    }
    if (markAt(source, format.close, position) || (separated && position >= source.text.length))
      return { calls: [{ name, arguments: {} }], end: position, family: named };
    if (source.text[position] !== '{') return undefined;
    const { problem, end, arguments: value, ...traces } = readArguments(source, position, format);
    if (problem !== undefined) return { calls: [], end, problem };
    return { calls: [{ name, arguments: value, ...tracesOf(traces) }], end, family: named };
  };
}

function readPairs(source: Source, at: number, prefix: string, keyClose: string, format: Format) {
  const keyOpen = `<${prefix}arg_key>`;
  const valueOpen = `<${prefix}arg_value>`;
  const close = `</${prefix}arg_value>`;
  const marks = { open: valueOpen, close, follow: [keyOpen, ...format.close], sibling: keyOpen };
  const entries: [string, string][] = [];
  let guessed: string | undefined;
  let position = at;
  while (source.text.startsWith(keyOpen, position)) {
    const keyStart = position + keyOpen.length;
    const keyEnd = source.find(keyClose, keyStart);
    const key = keyEnd === -1 ? '' : source.text.slice(keyStart, keyEnd).trim();
    const valueAt = source.skipSpace(keyEnd + keyClose.length);
    const isMarked = source.text.startsWith(valueOpen, valueAt);
    const valueStart = isMarked ? valueAt + valueOpen.length : valueAt;
    const end = keyEnd === -1 ? undefined : valueEnd(source, valueStart, isMarked, marks);
    if (!end)
      return { entries, guessed, end: source.text.length, problem: `the value of "${key}" is cut off` };
    if (end.isGuessed) guessed ??= key;
    const value = source.text.slice(valueStart, end.valueEnd);
    entries.push([key, isMarked ? unwrapLines(value, 'pair', key) : value.trim()]);
    position = source.skipSpace(end.next);
  }
  return { entries, guessed, end: position };
}

/** Without marks of its own a value ends where the next key or the closing mark stands, which is a guess. */
function valueEnd(
  source: Source,
  at: number,
  isMarked: boolean,
  marks: ElementMarks,
): ReturnType<typeof elementEnd> {
  if (isMarked) return elementEnd(source, at, marks);
  const [end] = [marks.close, ...marks.follow]
    .map((mark) => source.find(mark, at))
    .filter((found) => found !== -1)
    .sort((a, b) => a - b);
  if (end === undefined) return undefined;
  const next = source.text.startsWith(marks.close, end) ? end + marks.close.length : end;
  return { valueEnd: end, next, isGuessed: true };
}
