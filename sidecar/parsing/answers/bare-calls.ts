/**
 * Reads calls without the marks of a dialect: lines that begin with a name, lists, and bare JSON. If a text begins like a call but cannot
 * be read, the candidate has a problem and no calls.
 */
import { isRecord } from '../../base/values/json.ts';
import type { KnownTools } from '../../tools/known-tools.ts';
import { readCallArguments, type ParseContext, type Dialect } from './bodies/body-reader.ts';
import { readPythonCalls } from './bodies/python-calls.ts';
import { answerOfKey, type CallCandidate } from './parsed-answer.ts';
import { readBareCalls, callKeys, isToolKey } from './call-shapes.ts';
import { matchAt, findNameEnd } from './answer-text.ts';
import { readValue } from './read-value.ts';

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

const callHeads = {
  react: /Action:[ \t]*(?<name>[\w.-]+)\s+Action Input:\s*(?=[{`])/y,
  /** Matches a name on the line before its arguments, as written by GLM 4, and by Functionary after the mark at the end of its prompt. */
  functionary: /(?<name>[\w.-]+)[ \t]*\n\s*(?=\{)/y,
};
const lineDialect: Dialect = {
  family: '',
  openMark: 'Action:',
  closeMarks: ['\nObservation:'],
  bodyReaders: [],
};
const maxHeadChars = 220;

/** Reads calls at the start of a line: a known tool's name followed by its arguments, or Python calls. */
export function readCallAtLineStart(context: ParseContext, offset: number): CallCandidate | undefined {
  const { source, tools } = context;
  const { text } = source;
  for (const [family, head] of Object.entries(callHeads)) {
    const match = matchAt(head, text.slice(offset, offset + maxHeadChars), 0);
    const name = match?.groups?.name ?? '';
    const isMarked = family === 'react';
    if (!match || !(isMarked ? tools.isTool(name) : isToolKey(name, tools))) continue;
    const reading = readCallArguments(source, name, offset + match[0].length, lineDialect);
    return buildBareCandidate(offset, Math.max(reading.end, offset + 1), { ...reading, family, isMarked });
  }
  return readPython(context, offset, offset);
}

/** Reads a list of Python calls: `[f(a=1)]`. The objects of a JSON list are read separately. */
export function readCallList(context: ParseContext, offset: number): CallCandidate | undefined {
  const { source } = context;
  const firstCall = source.skipSpace(offset + 1);
  const nameEnd = findNameEnd(source.text, firstCall);
  if (nameEnd === firstCall || source.text[source.skipSpace(nameEnd)] !== '(') return undefined;
  const candidate = readPython(context, offset, firstCall);
  if (!candidate || candidate.problem !== undefined) source.countFailure();
  return candidate;
}

/** Reads Python calls, in a list or at the start of a line. `firstCall`: position of the first call. */
function readPython(
  { source, tools }: ParseContext,
  offset: number,
  firstCall: number,
): CallCandidate | undefined {
  const { text } = source;
  const family = 'pythonic';
  const { calls, end, problem } = readPythonCalls(source, offset);
  const isWhole =
    firstCall === offset
      ? /^[ \t]*(?:$|\n|\r|#|```|[^\x20-\x7e])/.test(text.slice(end, end + 40))
      : // `[text(x=1)](address)` is a link.
        problem === undefined && text[end] !== '(';
  if (calls.length > 0 && isWhole) return buildBareCandidate(offset, end, { calls, family });
  const nameEnd = findNameEnd(text, firstCall);
  const isIntended = tools.isTool(text.slice(firstCall, nameEnd)) && beginsArguments(text, nameEnd);
  return isIntended && problem !== undefined
    ? buildBareCandidate(offset, Math.max(end, nameEnd), { calls, family, problem })
    : undefined;
}

/** Reads an object that describes calls or an answer. Returns the position at which to continue if the object has no such meaning. */
export function readObject(context: ParseContext, offset: number): CallCandidate | number {
  const { source, tools } = context;
  const key = readFirstKey(source.text, offset);
  if (!key || !(key.isQuoted || callKeys.has(key.name) || isToolKey(key.name, tools))) return offset;
  const fence = source.find('\n```', offset);
  const limit = fence === -1 ? source.text.length : fence;
  const reading = readValue(source, offset, limit);
  if (reading.ok) {
    const candidate = interpretObject(reading.value, offset, reading.end, tools);
    if (!candidate) return reading.repair.repaired ? offset : reading.end;
    return { ...candidate, calls: candidate.calls.map((call) => ({ ...call, ...reading.repair })) };
  }
  const isIntended = isToolKey(key.name, tools) || namesTool(context, offset);
  return isIntended ? buildBareCandidate(offset, offset + 1, { problem: reading.reason }) : offset;
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

/** Returns whether broken JSON was meant as a call: a key such as `name` has a known tool's name as its value. */
function namesTool({ source, tools }: ParseContext, offset: number): boolean {
  const head = source.text.slice(offset, offset + 400);
  const name = /["'“]?(?:name|tool|tool_name|function)["'”]?\s{0,20}:\s{0,20}["'“]([\w.-]{1,128})["'”]/.exec(
    head,
  )?.[1];
  return head.startsWith('{"tool_calls"') || (name !== undefined && tools.isTool(name));
}

const objectStart = /\{\s{0,40}(?:(["'“]?)([A-Za-z_$][\w\\-]{0,60})["'”]?\s{0,20}:|(["/#]))/y;

/** Returns the first key of an object, quoted or bare; undefined if the text does not begin like an object. */
function readFirstKey(text: string, offset: number): { name: string; isQuoted: boolean } | undefined {
  objectStart.lastIndex = offset;
  const key = objectStart.exec(text);
  if (!key) return undefined;
  if (key[3] !== undefined) return { name: key[3] === '"' ? '' : 'name', isQuoted: key[3] === '"' };
  return { name: key[2] ?? '', isQuoted: key[1] === '"' };
}

/** Returns whether the text after the bracket begins with an argument with an equals sign, or with a string. Both are rare in prose. */
function beginsArguments(text: string, bracketIndex: number): boolean {
  return /^ ?\(\s{0,8}(?:["']|\w{1,40}\s{0,4}=\s{0,4}["'\d[{TFN])/.test(
    text.slice(bracketIndex, bracketIndex + 80),
  );
}
