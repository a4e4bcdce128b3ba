/**
 * Calls as elements, as the prompts of editors teach them. The name is an element of its own,
 * `<tool_use><name>read_file</name><arguments>…</arguments></tool_use>`, or that of the element:
 * `<write_file><path>a.ts</path><content>…</content></write_file>`, with JSON inside too. Without other marks only what fits
 * the tool's parameters is a call.
 */
import { isRecord } from '../../values/json.ts';
import { canonicalName, type KnownTools } from '../../tools/known-tools.ts';
import { notRun } from '../result.ts';
import { nameEnd, type Source } from '../source.ts';
import { isBracket, readArguments, type Body, type Context, type Dialect, type Reading } from './body.ts';
import { pastMark, readChildren, textCall, type Values } from './elements.ts';

const nameTag = /<(name|tool_name|tool|function_name)>\s*([^\s<>]{1,128})\s*<\/\1>\s*/y;
const childTag = /<([\w-]{1,40})>/y;
const containerTag = /<(arguments|parameters|input|args|params|tool_input)>\s*/y;

export const toolUseBody: Body = ({ source }, at, dialect) => {
  const start = source.skipSpace(at);
  const named = matchAt(nameTag, source.text, start);
  const name = named?.[2];
  if (!named || name === undefined) return undefined;
  const body = start + named[0].length;
  const container = matchAt(containerTag, source.text, body);
  const close = container ? `</${container[1]}>` : (dialect.close[0] ?? '');
  const inside = body + (container?.[0].length ?? 0);
  const unclear: Reading = { calls: [], end: inside, problem: `the arguments of ${name} cannot be read` };
  const reading = isBracket(source.text[inside])
    ? jsonCall(source, name, inside, { ...dialect, close: [close, ...dialect.close] })
    : childrenCall(name, readChildren(source, inside, close));
  if (reading.problem !== undefined) return reading;
  const end = source.skipSpace(reading.end);
  if (end >= source.text.length) return reading;
  if (!source.text.startsWith(close, end)) return unclear;
  return { ...reading, ...(container && { end: end + close.length }) };
};

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const childrenCall = (name: string, values: Values): Reading => ({
  calls: [textCall(name, values)],
  end: values.end,
});

function jsonCall(source: Source, name: string, at: number, dialect: Dialect): Reading {
  const read = readArguments(source, at, dialect);
  if (!read.ok) return { calls: [], end: read.end, problem: notRun(name, read.reason) };
  return { calls: [{ name, arguments: read.arguments, ...read.traces }], end: read.end };
}

const maxNameChars = 40;
const maxTagChars = 500;
const attribute = /\s+([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const tagEnd = /(?:\s+[\w-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/y;

/** The call in the element that opens at the less-than sign `at`; undefined when it is something else. */
export function readNamedElement({ source, tools }: Context, at: number): Reading | undefined {
  const name = toolNameAt(source, tools, at);
  if (name === undefined) return undefined;
  const start = at + 1 + name.length;
  const tag = matchAt(tagEnd, source.text.slice(start, start + maxTagChars), 0);
  if (!tag) return undefined;
  const attributes = [...tag[0].matchAll(attribute)].map(([, key = '', a, b]) => [key, a ?? b ?? '']);
  const body = source.skipSpace(start + tag[0].length);
  const close = `</${name}>`;
  const { own } = tools.parametersOf(name);
  const isOwn = (key = '') => canonicalName(key, own) !== undefined;
  const unread = (how: string, end: number): Reading | undefined => {
    source.countFailure();
    const isBegun = isOwn(matchAt(childTag, source.text, body)?.[1]);
    return isBegun ? { calls: [], end, problem: `the call of ${name} ${how}` } : undefined;
  };
  const isEmpty = tag[1] === '/';
  const closing = source.find(close, body);
  if (!isEmpty && closing === -1) return unread('is cut off', body);
  const inside = readInside(source, { name, body, close, isEmpty });
  if (!inside) return unread('cannot be read', closing + close.length);
  const [call] = inside.calls;
  const args = { ...Object.fromEntries(attributes), ...(isRecord(call?.arguments) && call.arguments) };
  if (call && Object.keys(args).some(isOwn)) return { ...inside, calls: [{ ...call, arguments: args }] };
  source.countFailure();
  return undefined;
}

function readInside(
  source: Source,
  { name, body, close, isEmpty }: { name: string; body: number; close: string; isEmpty: boolean },
): Reading | undefined {
  if (isEmpty) return { calls: [{ name, arguments: {} }], end: body };
  const dialect: Dialect = { family: '', open: close, close: [close], bodies: [] };
  const reading =
    source.text[body] === '{'
      ? jsonCall(source, name, body, dialect)
      : childrenCall(name, readChildren(source, body, close));
  const end = pastMark(source, reading.end, close);
  return end === reading.end ? undefined : { ...reading, end };
}

/** Short names are words of prose and of HTML as well. */
function toolNameAt({ text }: Source, tools: KnownTools, at: number): string | undefined {
  const end = nameEnd(text, at + 1);
  const length = end - at - 1;
  if (length < 4 || length > maxNameChars || !/[\s/>]/.test(text[end] ?? '')) return undefined;
  const name = text.slice(at + 1, end);
  if (!name.includes('_') && name !== 'bash' && !tools.isExact(name)) return undefined;
  return text[at - 1] !== '`' && tools.knows(name) ? name : undefined;
}
