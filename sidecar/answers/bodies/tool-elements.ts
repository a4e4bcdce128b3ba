/**
 * Calls as elements, as the prompts of editors teach them. The name is an element of its own,
 * `<tool_use><name>read_file</name><arguments>…</arguments></tool_use>`, or that of the element:
 * `<write_file><path>a.ts</path><content>…</content></write_file>`, with attributes, JSON inside and, for a tool's one
 * required argument, a lone text too. Without other marks only what fits the tool's parameters is a call.
 */
import { isRecord } from '../../values/json.ts';
import { canonicalName, type KnownTools } from '../../tools/known-tools.ts';
import type { RawCall } from '../result.ts';
import { nameEnd, type Source } from '../source.ts';
import { isBracket, readArguments, type Body, type Context, type Dialect, type Reading } from './body.ts';
import { pastMark, readChildren, textCall, unwrapLines, type Values } from './elements.ts';

const nameTag = /<(name|tool_name|tool|function_name)>\s*([^\s<>]{1,128})\s*<\/\1>\s*/y;
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
  return { ...reading, ...(container && { end: end + close.length, closers: [close] }) };
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
  if (!read.ok)
    return { calls: [], end: read.end, problem: `the call of ${name} was not run: ${read.reason}` };
  return { calls: [{ name, arguments: read.arguments, ...read.traces }], end: read.end };
}

const maxNameChars = 40;
const maxTagChars = 500;
const attribute = /\s+([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const tagEnd = /^(?:\s+[\w-]{1,40}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/;

/** The call in the element that opens at the less-than sign `at`; undefined when it is something else. */
export function readNamedElement({ source, tools }: Context, at: number): Reading | undefined {
  const name = toolNameAt(source, tools, at);
  if (name === undefined || !source.spend(maxTagChars)) return undefined;
  const start = at + 1 + name.length;
  const tag = tagEnd.exec(source.text.slice(start, start + maxTagChars));
  if (!tag) return undefined;
  const attributes = [...tag[0].matchAll(attribute)].map(
    ([, key = '', a, b]) => [key, a ?? b ?? ''] as const,
  );
  const body = start + tag[0].length;
  const close = `</${name}>`;
  const { own, required } = tools.parametersOf(name);
  if (tag[1] !== '/' && source.find(close, body) === -1) {
    source.countFailure();
    const child = /^\s*<([\w-]{1,40})>/.exec(source.text.slice(body, body + maxTagChars))?.[1];
    const isBegun = child !== undefined && canonicalName(child, own) !== undefined;
    return isBegun ? { calls: [], end: body, problem: `the call of ${name} is cut off` } : undefined;
  }
  const given = new Set(attributes.map(([key]) => canonicalName(key, own)));
  const [lone, another] = required.filter((key) => !given.has(key));
  const inside: Reading | undefined =
    tag[1] === '/'
      ? { calls: [{ name, arguments: {} }], end: body }
      : readInside(source, body, { name, close, lone: another === undefined ? lone : undefined });
  const [call] = inside?.calls ?? [];
  if (!inside || !call || !isRecord(call.arguments)) return undefined;
  const args = { ...Object.fromEntries(attributes), ...call.arguments };
  if (!Object.keys(args).some((key) => canonicalName(key, own) !== undefined)) return undefined;
  return { ...inside, calls: [{ ...call, arguments: args }] };
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

interface Inner {
  name: string;
  close: string;
  /** The tool's one required argument that no attribute gives. */
  lone: string | undefined;
}

function readInside(source: Source, body: number, { name, close, lone }: Inner): Reading | undefined {
  const closing = source.find(close, body);
  const first = source.skipSpace(body);
  const asJson = source.text[first] === '{';
  const dialect: Dialect = { family: '', open: close, close: [close], bodies: [] };
  const reading = asJson
    ? jsonCall(source, name, first, dialect)
    : childrenCall(name, readChildren(source, first, close));
  const isEmpty = !asJson && reading.end === first;
  if (reading.problem === undefined && !isEmpty) {
    const end = pastMark(source, reading.end, close);
    return end === reading.end ? undefined : { ...reading, end };
  }
  const text = unwrapLines(source.text.slice(body, closing), 'each');
  if (lone === undefined || asJson || text.trim() === '') return undefined;
  const value = lone === 'content' ? text : text.trim();
  const call: RawCall = { name, arguments: { [lone]: value }, isText: true };
  return { calls: [call], end: closing + close.length };
}
