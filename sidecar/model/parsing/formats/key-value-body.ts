/**
 * Bodies that begin with the tool's name: GLM's pairs (`NAME<arg_key>k</arg_key><arg_value>v</arg_value>`), with
 * prefixes and separators of its relatives, or a name and then JSON.
 */
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { elementEnd, unwrapLines } from './element.ts';
import { bareName, markAt, nameEnd, type BodyReader, type Format } from './format.ts';
import { readArguments } from './json-body.ts';

const separator = '<tool_sep>';

/** `prefix` stands before `arg_key` and `arg_value` in the tags' names. */
export function keyValueBody(family: string, prefix = ''): BodyReader {
  const keyOpen = `<${prefix}arg_key>`;
  const keyClose = `</${prefix}arg_key>`;
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
      const call: RawCall = { name, arguments: Object.fromEntries(pairs.entries) };
      return { calls: [call], end: pairs.end, family: named };
    }
    if (markAt(source, format.close, position) || (separated && position >= source.text.length))
      return { calls: [{ name, arguments: {} }], end: position, family: named };
    if (source.text[position] !== '{') return undefined;
    const { problem, end, arguments: value, repaired } = readArguments(source, position, format);
    if (problem !== undefined) return { calls: [], end, problem };
    return { calls: [{ name, arguments: value, ...(repaired && { repaired }) }], end, family: named };
  };
}

function readPairs(source: Source, at: number, prefix: string, keyClose: string, format: Format) {
  const keyOpen = `<${prefix}arg_key>`;
  const valueOpen = `<${prefix}arg_value>`;
  const marks = { open: valueOpen, close: `</${prefix}arg_value>`, follow: [keyOpen, ...format.close] };
  const entries: [string, string][] = [];
  let position = at;
  while (source.text.startsWith(keyOpen, position)) {
    const keyStart = position + keyOpen.length;
    const keyEnd = source.find(keyClose, keyStart);
    const key = keyEnd === -1 ? '' : source.text.slice(keyStart, keyEnd).trim();
    const valueAt = source.skipSpace(keyEnd + keyClose.length);
    const hasValue = keyEnd !== -1 && source.text.startsWith(valueOpen, valueAt);
    const valueStart = valueAt + valueOpen.length;
    const end = hasValue ? elementEnd(source, valueStart, marks) : undefined;
    if (!end) return { entries, end: source.text.length, problem: `the value of "${key}" is cut off` };
    entries.push([key, unwrapLines(source.text.slice(valueStart, end.valueEnd), 'pair')]);
    position = source.skipSpace(end.next);
  }
  return { entries, end: position };
}
