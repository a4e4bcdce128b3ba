/**
 * Calls without the marks of a dialect: lines of Python, lists, bare JSON, and arguments behind a name. What begins like
 * a call and cannot be read is a candidate with a problem and without calls.
 */
import { isRecord } from '../values/json.ts';
import { readLiteral } from '../values/literal.ts';
import { readArguments, type Context, type Dialect } from './bodies/body.ts';
import { readCalls } from './bodies/python.ts';
import { canonicalName } from '../tools/known-tools.ts';
import { endMarks } from './prose.ts';
import type { CallCandidate, Candidate, RawCall } from './result.ts';
import { bareCalls, callKeys, isToolKey } from './shapes.ts';
import { nameEnd } from './source.ts';
import { readValue, type Traces } from './value.ts';

const bare = (start: number, end: number, rest: Partial<CallCandidate>): CallCandidate => ({
  kind: 'calls',
  start,
  end,
  calls: [],
  isMarked: false,
  ...rest,
});

/** Calls of Python that begin a line. */
export function readPythonLines({ source, tools }: Context, at: number): Candidate | undefined {
  const { text } = source;
  const open = nameEnd(text, at);
  const { calls, end, problem } = readCalls(source, at);
  const isWholeLine = /^[ \t]*(?:$|\n|\r|#|```|[^\x20-\x7e])/.test(text.slice(end, end + 40));
  if (calls.length > 0) return isWholeLine ? bare(at, end, { calls, family: 'pythonic' }) : undefined;
  const isMeant = tools.knows(text.slice(at, open)) && beginsArguments(text, open);
  return isMeant && problem !== undefined ? bare(at, open, { family: 'pythonic', problem }) : undefined;
}

/** `[f(a=1)]`, or a list of objects. */
export function readList(context: Context, at: number): Candidate | undefined {
  const { source, tools } = context;
  const { text } = source;
  const first = source.skipSpace(at + 1);
  if (text[first] === '{') return readJsonList(context, at, first);
  const open = nameEnd(text, first);
  if (open === first || text[source.skipSpace(open)] !== '(') return undefined;
  const { calls, end, problem } = readCalls(source, at);
  // `[text(x=1)](address)` is a link.
  if (calls.length > 0 && problem === undefined && text[end] !== '(')
    return bare(at, end, { calls, family: 'pythonic' });
  source.countFailure();
  const isMeant = tools.knows(text.slice(first, open)) && beginsArguments(text, open);
  if (problem === undefined || !isMeant) return undefined;
  return bare(at, Math.max(end, first), { calls, family: 'pythonic', problem });
}

function readJsonList({ source, tools }: Context, at: number, first: number): Candidate | undefined {
  const key = firstKey(source.text, first);
  if (!key || !(callKeys.has(key.name) || isToolKey(key.name, tools))) return undefined;
  const read = readLiteral(source.text, at);
  if (!read.ok) source.countFailure(read.at - at);
  const calls = read.ok ? bareCalls(read.value, tools) : [];
  if (!read.ok || calls.length === 0) return undefined;
  return bare(at, read.end, { calls: traced(calls, { repaired: read.grade !== 'exact' }) });
}

/** What may stand behind bare JSON whose closing brackets were left out. */
const bareEnds = ['```', '</tool_call>', ...endMarks];

/** An object that means calls or an answer, or where the scan goes on behind one that means nothing. */
export function readObject(context: Context, at: number): Candidate | number {
  const { source, tools } = context;
  const key = firstKey(source.text, at);
  if (!key) return at;
  if (!callKeys.has(key.name) && !isToolKey(key.name, tools)) {
    if (!key.isQuoted) return at;
    const read = readLiteral(source.text, at);
    if (read.ok && read.grade === 'exact') return meaningOf(context, at, read.end, read.value) ?? read.end;
    source.countFailure((read.ok ? read.end : read.at) - at);
    return at;
  }
  const fence = source.find('\n```', at);
  const limit = fence === -1 ? source.text.length : fence;
  const read = readValue(source, at, { limit, marks: bareEnds });
  if (read.ok)
    return (
      meaningOf(context, at, read.end, read.value, read.traces) ?? (read.traces.repaired ? at : read.end)
    );
  const isMeant = isToolKey(key.name, tools) || namesTool(context, at);
  return isMeant ? bare(at, at + 1, { problem: read.reason }) : at;
}

function meaningOf(
  { tools }: Context,
  start: number,
  end: number,
  value: unknown,
  traces: Traces = {},
): Candidate | undefined {
  if (!isRecord(value)) return undefined;
  const key = (['response', 'request_approval'] as const).find(
    (each) => (value[each] ?? undefined) !== undefined,
  );
  const listed = value.tool_calls ?? undefined;
  const isEmptyList = Array.isArray(listed) && listed.length === 0;
  if (key !== undefined && listed !== undefined && !isEmptyList)
    return bare(start, end, { problem: `tool_calls and ${key} stand in one object` });
  const calls = bareCalls(value, tools);
  if (calls.length > 0 || (isEmptyList && key === undefined))
    return bare(start, end, { calls: traced(calls, traces) });
  return key === undefined ? undefined : { kind: 'answer', start, end, key, value: value[key] };
}

const traced = (calls: readonly RawCall[], traces: Traces): RawCall[] =>
  calls.map((call) => ({ ...call, ...traces }));

/** Whether broken JSON was clearly meant as a call: it names a known tool where a name belongs. */
function namesTool({ source, tools }: Context, at: number): boolean {
  const head = source.text.slice(at, at + 400);
  const name = /["'“]?(?:name|tool|tool_name|function)["'”]?\s{0,20}:\s{0,20}["'“]([\w.-]{1,128})["'”]/.exec(
    head,
  )?.[1];
  return head.startsWith('{"tool_calls"') || (name !== undefined && tools.knows(name));
}

const maxHeadChars = 220;
const lineDialect: Dialect = { family: '', open: 'Action:', close: ['\nObservation:'], bodies: [] };
const headWords = new Set('input arguments parameters args params json'.split(' '));
/** What stands before the arguments of a name without marks: an action, a line of its own, or a heading. */
const heads = {
  react:
    /(?:^|\n)[ \t]{0,8}Action:[ \t]{0,8}(?<name>[\w.-]{1,128})\s{1,8}Action Input:\s{0,8}(?:```(?:json)?\s{1,4})?$/,
  functionary: /(?:^|\n)[ \t]*(?<name>[\w.-]{1,128})[ \t]{0,8}\n\s{0,6}$/,
  'named-arguments':
    /(?:^|\n)[ \t>*#-]{0,8}(?:```|(?:tool|function|call|action|use)(?: name| call)?[ \t]{0,4}:)?[ \t`*"]{0,6}(?<name>[a-z]+_[a-z_]{1,40}|shell|bash)[`*":]{0,6}\s{0,4}(?:(?:arguments|parameters|args|input|params)[`*"]{0,4}[ \t]{0,4}:[`*]{0,4}\s{0,4})?(?:```(?:json)?\s{1,4})?$/i,
};

/** A known tool's name before the object at `at`, behind the position `after`. */
export function readNamedArguments(
  { source, tools }: Context,
  at: number,
  after: number,
): Candidate | undefined {
  if (!' \n\t\r:`*'.includes(source.text[at - 1] ?? 'x')) return undefined;
  const last = wordBefore(source.text, at);
  if (!headWords.has(last.toLowerCase()) && !tools.knows(last)) return undefined;
  if (!source.spend(2 * maxHeadChars)) return undefined;
  const before = source.text.slice(Math.max(after, at - maxHeadChars), at);
  for (const [family, head] of Object.entries(heads)) {
    const found = head.exec(before);
    const name = found?.groups?.name;
    if (!found || name === undefined || !tools.knows(name)) continue;
    if (family === 'functionary' && !isToolKey(name, tools)) continue;
    const isMarked = family === 'react';
    const read = readArguments(source, at, lineDialect);
    if (!read.ok) return bare(at, at + 1, { family, isMarked, problem: read.reason });
    if (!isRecord(read.arguments)) return undefined;
    const { own } = tools.parametersOf(name);
    const keys = Object.keys(read.arguments);
    const fits = keys.length > 0 && keys.every((key) => canonicalName(key, own) !== undefined);
    if (family === 'named-arguments' && !fits) return undefined;
    const calls = [{ name, arguments: read.arguments, ...read.traces }];
    return bare(at - found[0].length, read.end, { calls, family, isMarked });
  }
  return undefined;
}

/** The word before `at`, with white space and marks behind it. */
function wordBefore(text: string, at: number): string {
  let end = at;
  while (at - end < 12 && '`*": \n\t\r'.includes(text[end - 1] ?? 'x')) end -= 1;
  let start = end;
  while (end - start < 128 && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

/** Letters, digits, `_`, `-` and the dot. */
const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

const objectStart = /\{\s{0,40}(?:(["'“]?)([A-Za-z_$][\w\\-]{0,60})["'”]?\s{0,20}:|(["/#]))/y;

/** The first key of an object, quoted in any way or bare; undefined when it does not begin like an object. */
function firstKey(text: string, at: number): { name: string; isQuoted: boolean } | undefined {
  objectStart.lastIndex = at;
  const key = objectStart.exec(text);
  if (!key) return undefined;
  if (key[3] !== undefined) return { name: key[3] === '"' ? '' : 'name', isQuoted: key[3] === '"' };
  return { name: key[2] ?? '', isQuoted: key[1] === '"' };
}

/** A name with an equals sign or a string behind the bracket, which no sentence about a function has. */
function beginsArguments(text: string, open: number): boolean {
  return /^ ?\(\s{0,8}(?:["']|\w{1,40}\s{0,4}=\s{0,4}["'\d[{TFN])/.test(text.slice(open, open + 80));
}
