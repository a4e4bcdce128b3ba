/**
 * Bare JSON in an answer (layer 2): objects that mean a call, `{"tool_calls": […]}`, `{"response": "…"}` or
 * `{"request_approval": "…"}`. Lists need no reading of their own: their objects are found one after the other.
 */
import { isRecord } from '../../values/json.ts';
import { callByKey, callKeys, isToolKey, proseCall, taggedCalls } from './call-shapes.ts';
import { readExactJson, readJson, whyTooShort } from './json-value.ts';
import { nameEnd } from './formats/format.ts';
import { tracesOf } from './formats/json-body.ts';
import type { KnownTools } from './known-tools.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';

export type JsonCandidate =
  | { kind: 'calls'; calls: RawCall[]; end: number }
  | { kind: 'answer'; key: 'response' | 'request_approval'; value: unknown; end: number }
  /** Says two things at once. */
  | { kind: 'conflict'; end: number }
  /** JSON that means nothing to the parser; what is inside it is not looked at. */
  | { kind: 'data'; end: number };

export type Problem = { kind: 'problem'; reason: string };

export const answerKeys = ['tool_calls', 'response', 'request_approval'] as const;
const wrapperKeys = ['tool_call', 'function_call', 'action', 'calls', 'actions', 'tools'];

/** The object that starts at the brace `at`; undefined when it is no JSON, or nearly JSON that means nothing. */
export function readJsonCandidate(
  source: Source,
  tools: KnownTools,
  at: number,
): JsonCandidate | Problem | undefined {
  const isNamed = beginsWithTool(source, tools, at);
  if (!isNamed && !mayMeanCall(source, at)) return undefined;
  const key = firstKey(source, at);
  if (key === undefined) return undefined;
  const exact = key.quoted ? readExactJson(source, at) : undefined;
  if (exact && isRecord(exact.value))
    return withTraces(
      { ...meaningOf(exact.value, tools), end: exact.end },
      { uncertain: whyTooShort(source, exact.end) },
    );
  if ((!isNamed && !callKeys.has(key.name)) || !source.isPatient) return undefined;
  const reading = readJson(source, at, fenceEnd(source, at), ['```']);
  if (!reading.ok) {
    return isNamed || mentionsTool(source, at, key.name, tools)
      ? { kind: 'problem', reason: reading.reason }
      : undefined;
  }
  const meaning = isRecord(reading.value) ? meaningOf(reading.value, tools) : undefined;
  if (!meaning || meaning.kind === 'data') return undefined;
  return withTraces({ ...meaning, end: reading.end }, reading);
}

function withTraces(
  candidate: JsonCandidate,
  traces: { repaired?: boolean; uncertain?: string },
): JsonCandidate {
  if (candidate.kind !== 'calls') return candidate;
  return { ...candidate, calls: candidate.calls.map((call) => ({ ...call, ...tracesOf(traces) })) };
}

type Meaning =
  | { kind: 'calls'; calls: RawCall[] }
  | { kind: 'answer'; key: 'response' | 'request_approval'; value: unknown }
  | { kind: 'conflict' }
  | { kind: 'data' };

function meaningOf(value: Record<string, unknown>, tools: KnownTools): Meaning {
  const present = answerKeys.filter((key) => value[key] !== undefined && value[key] !== null);
  const emptyCalls = Array.isArray(value.tool_calls) && value.tool_calls.length === 0;
  const said = present.length > 1 && emptyCalls ? present.filter((key) => key !== 'tool_calls') : present;
  if (said.length > 1) return { kind: 'conflict' };
  const [key] = said;
  if (key === 'tool_calls') {
    const calls = taggedCalls(value.tool_calls, tools);
    return calls.length > 0 || emptyCalls ? { kind: 'calls', calls } : { kind: 'data' };
  }
  const call = proseCall(value, tools) ?? callByKey(value, tools);
  if (call) return { kind: 'calls', calls: [call] };
  if (key !== undefined) return { kind: 'answer', key, value: value[key] };
  const wrapped = wrapperKeys.flatMap((wrapper) => knownCalls(value[wrapper], tools));
  return wrapped.length > 0 ? { kind: 'calls', calls: wrapped } : { kind: 'data' };
}

function knownCalls(value: unknown, tools: KnownTools): RawCall[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    const call = isRecord(item) ? proseCall(item, tools) : undefined;
    return call && tools.knows(call.name) ? [call] : [];
  });
}

/** Words that every object with a meaning contains, as a key in whatever quotes. */
const callWords = ['name', 'tool', 'function', 'action', 'response', 'request_approval'] as const;

/** Whether the object is `{"NAME": {…` with the name of a known tool. Short names are keys of other data as well. */
function beginsWithTool(source: Source, tools: KnownTools, at: number): boolean {
  const { text } = source;
  const quote = source.skipSpace(at + 1);
  if (text.charCodeAt(quote) !== 34) return false;
  const end = nameEnd(text, quote + 1);
  if (end - quote < 4 || text.charCodeAt(end) !== 34) return false;
  const colon = source.skipSpace(end + 1);
  if (text[colon] !== ':' || text[source.skipSpace(colon + 1)] !== '{') return false;
  return isToolKey(text.slice(quote + 1, end), tools);
}

/** A cheap look before anything is parsed: does it begin like an object, and is one of the words in it? */
function mayMeanCall(source: Source, at: number): boolean {
  const code = source.text.charCodeAt(source.skipSpace(at + 1));
  const isKeyStart =
    code === 34 || code === 39 || code === 47 || code === 35 || code === 95 || code === 0x201c;
  if (!isKeyStart && !(code >= 65 && code <= 90) && !(code >= 97 && code <= 122)) return false;
  const word = source.findAny(callWords, at);
  if (word === -1) return false;
  const closing = source.brackets.closing(at);
  return closing === -1 || word < closing;
}

/** The first key of an object, quoted in any way or bare; undefined when it does not begin like an object. */
function firstKey(source: Source, at: number): { name: string; quoted: boolean } | undefined {
  const start = source.skipSpace(at + 1);
  const key = /^(["'“]?)([A-Za-z_]\w{0,60})["'”]?\s{0,20}:/.exec(source.text.slice(start, start + 100));
  if (key) return { name: key[2] ?? '', quoted: key[1] === '"' };
  const char = source.text[start];
  if (char === '/' || char === '#') return { name: 'name', quoted: false };
  return char === '"' ? { name: '', quoted: true } : undefined;
}

/** Where broken JSON must end: at the end of its code fence, or with the text. */
function fenceEnd(source: Source, at: number): number {
  const fence = source.find('\n```', at);
  return fence === -1 ? source.text.length : fence;
}

/** Whether broken JSON was clearly meant as a call: it says so, or names a known tool where a name belongs. */
function mentionsTool(source: Source, at: number, key: string, tools: KnownTools): boolean {
  if (key === 'tool_calls') return true;
  const head = source.text.slice(at, at + 400);
  const name = /["'“]?(?:name|tool|tool_name|function)["'”]?\s{0,20}:\s{0,20}["'“]([\w.-]{1,128})["'”]/.exec(
    head,
  )?.[1];
  return name !== undefined && tools.knows(name);
}
