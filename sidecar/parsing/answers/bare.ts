/**
 * Reads calls without the marks of a dialect: lines that begin with a name, lists, and bare JSON. Text that begins like
 * a call but cannot be read is a candidate with a problem and without calls.
 */
import { isRecord } from '../../base/values/json.ts';
import type { KnownTools } from '../../tools/known-tools.ts';
import { readNamed, type ParseContext, type Dialect } from './bodies/body.ts';
import { readCalls } from './bodies/python.ts';
import { answerOfKey, type CallCandidate } from './result.ts';
import { readBareCalls, callKeys, isToolKey } from './shapes.ts';
import { matchAt, findNameEnd } from './source.ts';
import { readValue } from './value.ts';

/** Makes a candidate without the marks of a dialect. */
export const buildBareCandidate = (
  start: number,
  end: number,
  fields: Partial<CallCandidate>,
): CallCandidate => ({
  start,
  end,
  calls: [],
  isMarked: false,
  ...fields,
});

const heads = {
  react: /Action:[ \t]*(?<name>[\w.-]+)\s+Action Input:\s*(?=[{`])/y,
  /** Form of GLM 4, and of Functionary after the mark that ends its prompt. */
  functionary: /(?<name>[\w.-]+)[ \t]*\n\s*(?=\{)/y,
};
const lineDialect: Dialect = { family: '', open: 'Action:', close: ['\nObservation:'], bodies: [] };
const maxHeadChars = 220;

/** Reads calls at the start of a line: a known tool's name followed by its arguments, or Python. */
export function readCallAtLineStart(context: ParseContext, at: number): CallCandidate | undefined {
  const { source, tools } = context;
  const { text } = source;
  for (const [family, head] of Object.entries(heads)) {
    const found = matchAt(head, text.slice(at, at + maxHeadChars), 0);
    const name = found?.groups?.name ?? '';
    const isMarked = family === 'react';
    if (!found || !(isMarked ? tools.isTool(name) : isToolKey(name, tools))) continue;
    const read = readNamed(source, name, at + found[0].length, lineDialect);
    return buildBareCandidate(at, Math.max(read.end, at + 1), { ...read, family, isMarked });
  }
  return readPython(context, at, at);
}

/** Reads `[f(a=1)]`. The objects of a JSON list are read one by one. */
export function readCallList(context: ParseContext, at: number): CallCandidate | undefined {
  const { source } = context;
  const first = source.skipSpace(at + 1);
  const open = findNameEnd(source.text, first);
  if (open === first || source.text[source.skipSpace(open)] !== '(') return undefined;
  const found = readPython(context, at, first);
  if (!found || found.problem !== undefined) source.countFailure();
  return found;
}

/** Reads Python calls, in a list or at the start of a line. `first`: start of the first call. */
function readPython({ source, tools }: ParseContext, at: number, first: number): CallCandidate | undefined {
  const { text } = source;
  const family = 'pythonic';
  const { calls, end, problem } = readCalls(source, at);
  const isWhole =
    first === at
      ? /^[ \t]*(?:$|\n|\r|#|```|[^\x20-\x7e])/.test(text.slice(end, end + 40))
      : // `[text(x=1)](address)` is a link.
        problem === undefined && text[end] !== '(';
  if (calls.length > 0 && isWhole) return buildBareCandidate(at, end, { calls, family });
  const open = findNameEnd(text, first);
  const isIntended = tools.isTool(text.slice(first, open)) && beginsArguments(text, open);
  return isIntended && problem !== undefined
    ? buildBareCandidate(at, Math.max(end, open), { calls, family, problem })
    : undefined;
}

/**
 * Reads an object that stands for calls or an answer. Returns the position to continue at if the object has
 * no such meaning.
 */
export function readObject(context: ParseContext, at: number): CallCandidate | number {
  const { source, tools } = context;
  const key = readFirstKey(source.text, at);
  if (!key || !(key.isQuoted || callKeys.has(key.name) || isToolKey(key.name, tools))) return at;
  const fence = source.find('\n```', at);
  const limit = fence === -1 ? source.text.length : fence;
  const read = readValue(source, at, limit);
  if (read.ok) {
    const found = interpretObject(read.value, at, read.end, tools);
    if (!found) return read.traces.repaired ? at : read.end;
    return { ...found, calls: found.calls.map((call) => ({ ...call, ...read.traces })) };
  }
  const isIntended = isToolKey(key.name, tools) || namesTool(context, at);
  return isIntended ? buildBareCandidate(at, at + 1, { problem: read.reason }) : at;
}

function interpretObject(
  value: unknown,
  start: number,
  end: number,
  tools: KnownTools,
): CallCandidate | undefined {
  if (!isRecord(value)) return undefined;
  const key = (['response', 'request_approval'] as const).find(
    (name) => (value[name] ?? undefined) !== undefined,
  );
  const toolCalls = value.tool_calls ?? undefined;
  const isEmptyList = Array.isArray(toolCalls) && toolCalls.length === 0;
  if (key !== undefined && toolCalls !== undefined && !isEmptyList)
    return buildBareCandidate(start, end, { problem: `tool_calls and ${key} are in one object` });
  const calls = readBareCalls(value, tools);
  if (calls.length > 0 || (isEmptyList && key === undefined))
    return buildBareCandidate(start, end, { calls });
  return key === undefined
    ? undefined
    : buildBareCandidate(start, end, { answer: answerOfKey(key, value[key]) });
}

/** Returns whether broken JSON was meant as a call: a key such as `name` has the name of a known tool. */
function namesTool({ source, tools }: ParseContext, at: number): boolean {
  const head = source.text.slice(at, at + 400);
  const name = /["'“]?(?:name|tool|tool_name|function)["'”]?\s{0,20}:\s{0,20}["'“]([\w.-]{1,128})["'”]/.exec(
    head,
  )?.[1];
  return head.startsWith('{"tool_calls"') || (name !== undefined && tools.isTool(name));
}

const objectStart = /\{\s{0,40}(?:(["'“]?)([A-Za-z_$][\w\\-]{0,60})["'”]?\s{0,20}:|(["/#]))/y;

/** Returns the first key of an object, quoted or bare; undefined if the text does not begin like an object. */
function readFirstKey(text: string, at: number): { name: string; isQuoted: boolean } | undefined {
  objectStart.lastIndex = at;
  const key = objectStart.exec(text);
  if (!key) return undefined;
  if (key[3] !== undefined) return { name: key[3] === '"' ? '' : 'name', isQuoted: key[3] === '"' };
  return { name: key[2] ?? '', isQuoted: key[1] === '"' };
}

/** Returns whether an argument with an equals sign, or a string, follows the bracket. Both are rare in prose. */
function beginsArguments(text: string, open: number): boolean {
  return /^ ?\(\s{0,8}(?:["']|\w{1,40}\s{0,4}=\s{0,4}["'\d[{TFN])/.test(text.slice(open, open + 80));
}
