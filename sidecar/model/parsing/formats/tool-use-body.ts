/**
 * Bodies that give the name in an element, then the arguments in another one or as elements of their own:
 * `<tool_use><name>read_file</name><arguments>{"file_path": "a.ts"}</arguments></tool_use>`.
 */
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { readChildren, whyUncertain } from './element.ts';
import { bareName, nameEnd, type BodyReader, type Format, type Reading } from './format.ts';
import { readArguments, tracesOf } from './json-body.ts';

const family = 'tool-use';
const nameTags = ['name', 'tool_name', 'tool', 'function_name'];
const argumentTags = 'arguments parameters input args params tool_input'.split(' ');
/** Each with the format that its JSON stands in: the closing tag ends JSON whose brackets were forgotten. */
const containers = argumentTags.map((tag) => {
  const format: Format = { family, open: `<${tag}>`, close: [`</${tag}>`, '</tool_use>'], readers: [] };
  return { open: format.open, close: `</${tag}>`, format };
});

export const toolUseBody: BodyReader = ({ source }, at, format) => {
  const start = source.skipSpace(at);
  const named = nameTags.find((tag) => source.text.startsWith(`<${tag}>`, start));
  if (named === undefined) return undefined;
  const nameAt = source.skipSpace(start + named.length + 2);
  const end = nameEnd(source.text, nameAt);
  const afterName = source.skipSpace(end);
  if (end === nameAt || !source.text.startsWith(`</${named}>`, afterName)) return undefined;
  const name = bareName(source.text.slice(nameAt, end));
  const body = source.skipSpace(afterName + named.length + 3);
  const container = containers.find(({ open }) => source.text.startsWith(open, body));
  if (!container) return readElements(source, name, body, format.close[0] ?? '');
  const inside = source.skipSpace(body + container.open.length);
  const reading =
    source.text[inside] === '{' || source.text[inside] === '['
      ? readJsonInside(source, name, inside, container.format)
      : readElements(source, name, inside, container.close);
  if (reading.problem !== undefined) return reading;
  const closing = source.skipSpace(reading.end);
  if (closing >= source.text.length) return reading;
  if (!source.text.startsWith(container.close, closing)) return unclear(name, reading.end);
  return { ...reading, end: closing + container.close.length, closers: [container.close] };
};

function readJsonInside(source: Source, name: string, at: number, format: Format): Reading {
  const { problem, end, arguments: args, ...traces } = readArguments(source, at, format);
  if (problem !== undefined) return { calls: [], end, problem };
  return { calls: [{ name, arguments: args, ...tracesOf(traces) }], end };
}

function readElements(source: Source, name: string, at: number, close: string): Reading {
  const { entries, guessed, end } = readChildren(source, at, close);
  const next = source.skipSpace(end);
  if (next < source.text.length && !source.text.startsWith(close, next)) return unclear(name, end);
  const uncertain = whyUncertain(entries, guessed);
  const call: RawCall = {
    name,
    arguments: Object.fromEntries(entries),
    isText: true,
    ...tracesOf({ uncertain }),
  };
  return { calls: [call], end };
}

function unclear(name: string, end: number): Reading {
  return { calls: [], end, problem: `the arguments of ${name} cannot be read` };
}
