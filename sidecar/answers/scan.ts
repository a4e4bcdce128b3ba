/**
 * One pass over an answer's text, left to right: whatever begins first owns its span. So JSON inside a block is that
 * block's argument, a tag inside a JSON string is text, and thinking is never read. What is found are candidates, in
 * the order of the text; which of them are calls is decided in `accept.ts`.
 */
import { readLiteral } from '../values/literal.ts';
import { isRecord } from '../values/json.ts';
import { readArguments, type Context, type Dialect } from './bodies/body.ts';
import { readCallLines, readCallList } from './bodies/python.ts';
import { readNamedElement } from './bodies/tool-elements.ts';
import { markAt, type Mark } from './dialects.ts';
import { canonicalName } from './known-tools.ts';
import { endMarks } from './prose.ts';
import { maxCalls, type RawCall, type Span } from './result.ts';
import { bareCalls, callKeys, isToolKey } from './shapes.ts';
import { nameEnd } from './source.ts';
import { readThinking, type Thinking } from './thinking.ts';
import { readValue, tracesOf, type Traces } from './value.ts';

/** Something that may be calls, or what stands in place of them. */
export type Candidate = CallCandidate | AnswerCandidate;

export interface CallCandidate extends Span {
  kind: 'calls';
  calls: RawCall[];
  /** The dialect; undefined for bare JSON. */
  family?: string;
  /** The marks of a dialect say that it is a call. */
  isMarked: boolean;
  /** Why what stands behind these calls cannot be read, though it began like a call. */
  problem?: string;
  /** Marks that close a part of the body. */
  closers?: readonly string[];
}

/** `{"response": "…"}` or `{"request_approval": "…"}`. */
export interface AnswerCandidate extends Span {
  kind: 'answer';
  key: 'response' | 'request_approval';
  value: unknown;
}

export interface Scan {
  candidates: Candidate[];
  /** Thinking, results that the model made up, and marks around blocks: no part of the prose. */
  removed: Span[];
  thinking: Thinking[];
  comments: Span[];
  /** Marks behind which nothing stands that can be read as calls, though it may be meant so. */
  unread: (Span & { reason: string })[];
  /** Where reading stopped, before the end of the text where there are too many calls. */
  end: number;
}

const emptyScan = (end: number): Scan => ({
  candidates: [],
  removed: [],
  thinking: [],
  comments: [],
  unread: [],
  end,
});

const starts =
  /[{[<]|>>>(?=[\w.-]{1,128}[ \t]{0,8}\n)|^[ \t]*(?:```(?=tool_c|function_call)|(?=(?:print ?\()?[A-Za-z_](?:[\w.-]|\\_){0,80} ?\())/gm;
const maxUnreadChars = 20_000;

export function scanAnswer({ source, tools }: Context): Scan {
  return new Scanner({ source, tools }).scan();
}

class Scanner {
  readonly #context: Context;
  #scan: Scan;
  #callCount = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#scan = emptyScan(context.source.text.length);
  }

  scan(): Scan {
    const { source } = this.#context;
    let at = this.#next(0);
    while (at !== -1 && source.isPatient && this.#callCount <= maxCalls) {
      const reached = Math.max(this.#readAt(at), at + 1);
      if (this.#callCount > maxCalls) this.#scan.end = reached;
      at = this.#next(reached);
    }
    return this.#scan;
  }

  /** Where something may begin next, behind the white space of a line. */
  #next(from: number): number {
    starts.lastIndex = from;
    const found = starts.exec(this.#context.source.text);
    if (!found) return -1;
    return found.index + (/^[ \t]*/.exec(found[0])?.[0].length ?? 0);
  }

  /** Reads what begins at `at`; returns where the scan goes on. */
  #readAt(at: number): number {
    const { text } = this.#context.source;
    const char = text[at];
    if (!mayBegin(text, at)) return at;
    if (char === '{') return this.#namedArguments(at) ?? this.#bareJson(at);
    const marked = this.#marked(at);
    if (marked !== undefined) return marked;
    if (char === '<') return this.#element(at);
    if (char === '[') return this.#bareList(at);
    return this.#pythonLines(at);
  }

  /** An element that is named like a tool. */
  #element(start: number): number {
    const reading = readNamedElement(this.#context, start);
    if (!reading) return start;
    const candidate = { kind: 'calls', start, ...reading, family: 'named-element', isMarked: false } as const;
    return this.#add(candidate) ?? start;
  }

  /** Keeps a candidate; returns its end. */
  #add(candidate: Candidate | undefined): number | undefined {
    if (!candidate) return undefined;
    this.#scan.candidates.push(candidate);
    if (candidate.kind === 'calls') this.#callCount += candidate.calls.length;
    return candidate.end;
  }

  /** Something that began like a call and cannot be read. */
  #unreadable(
    start: number,
    problem: string,
    { family, isMarked = false }: { family?: string; isMarked?: boolean },
  ) {
    const named = family === undefined ? {} : { family };
    return this.#add({ kind: 'calls', start, end: start + 1, calls: [], ...named, isMarked, problem });
  }

  /** Thinking, a comment, a block of a dialect, or a result that the model made up. */
  #marked(at: number): number | undefined {
    const { source } = this.#context;
    const thinking = readThinking(source, at);
    if (thinking) return this.#addThinking(thinking);
    if (source.text.startsWith('<!--', at)) {
      const end = source.find('-->', at);
      if (end !== -1) this.#scan.comments.push({ start: at, end });
      return at + '<!--'.length;
    }
    if (source.text.startsWith('<tool_response>', at)) {
      const close = '</tool_response>';
      const closing = source.find(close, at);
      const end = closing === -1 ? source.text.length : closing + close.length;
      this.#scan.removed.push({ start: at, end });
      return end;
    }
    const mark = markAt(source.text, at);
    return mark && this.#block(mark);
  }

  #addThinking(thinking: Thinking): number {
    // Everything before it was thought, too.
    if (thinking.start === 0) {
      this.#scan = emptyScan(this.#context.source.text.length);
      this.#callCount = 0;
    }
    this.#scan.removed.push(thinking);
    this.#scan.thinking.push(thinking);
    return thinking.end;
  }

  #block({ dialect, start, end: afterMark }: Mark): number | undefined {
    const { source } = this.#context;
    const at = dialect.readsMark ? start : afterMark;
    let reading;
    for (const body of dialect.bodies) reading ??= body(this.#context, at, dialect);
    if (!reading) return this.#markWithoutBody({ dialect, start, end: afterMark });
    const { calls, problem, family = dialect.family, closers } = reading;
    const end = pastClose(source, reading.end, dialect);
    if (calls.length === 0 && problem === undefined) {
      this.#scan.removed.push({ start, end });
      if (reading.isNameless) this.#scan.unread.push({ start, end, reason: 'the tool call has no name' });
      return end;
    }
    const traces = { ...(problem !== undefined && { problem }), ...(closers && { closers }) };
    this.#add({ kind: 'calls', start, end, calls, family, isMarked: true, ...traces });
    if (problem === undefined) return end;
    source.countFailure();
    return Math.max(afterMark, reading.end);
  }

  /** The mark is spoken about, doubled, or around other blocks. */
  #markWithoutBody({ dialect, start, end }: Mark): number | undefined {
    const { source } = this.#context;
    source.countFailure();
    if (dialect.readsMark) return undefined;
    if (dialect.wraps) {
      this.#scan.removed.push({ start, end });
      return end;
    }
    const closing = source.findAny(dialect.close, end);
    if (closing !== -1 && closing - end < maxUnreadChars)
      this.#scan.unread.push({ start, end, reason: 'the tool call cannot be read' });
    // Half of a name, or nothing at all.
    else if (source.text.length - end < maxHeadChars && !/\S\s+\S/.test(source.text.slice(end)))
      this.#scan.unread.push({ start, end, reason: 'the tool call is cut off' });
    return end;
  }

  /** Calls of Python that begin a line. */
  #pythonLines(at: number): number {
    const { source, tools } = this.#context;
    const { text } = source;
    const open = nameEnd(text, at);
    const { calls, end, problem } = readCallLines(source, at);
    const isWholeLine = /^[ \t]*(?:$|\n|\r|#|```|[^\x20-\x7e])/.test(text.slice(end, end + 40));
    if (calls.length > 0 && isWholeLine)
      return this.#add({ kind: 'calls', start: at, end, calls, family: 'pythonic', isMarked: false }) ?? at;
    const isMeant = tools.knows(text.slice(at, open)) && beginsArguments(text, open);
    if (calls.length > 0 || problem === undefined || !isMeant) return at;
    this.#add({ kind: 'calls', start: at, end: open, calls, family: 'pythonic', isMarked: false, problem });
    return open;
  }

  /** `[f(a=1)]`, or a list of objects, without marks around it. */
  #bareList(at: number): number {
    const { source, tools } = this.#context;
    const { text } = source;
    const first = source.skipSpace(at + 1);
    if (text[first] === '{') return this.#bareJsonList(at, first);
    const open = nameEnd(text, first);
    if (open === first || text[source.skipSpace(open)] !== '(') return at;
    const { calls, end, problem } = readCallList(source, at);
    // `[text(x=1)](address)` is a link.
    if (calls.length > 0 && problem === undefined && text[end] !== '(')
      return this.#add({ kind: 'calls', start: at, end, calls, family: 'pythonic', isMarked: false }) ?? at;
    source.countFailure();
    if (problem === undefined || !tools.knows(text.slice(first, open)) || !beginsArguments(text, open))
      return at;
    this.#add({
      kind: 'calls',
      start: at,
      end: Math.max(end, first),
      calls,
      family: 'pythonic',
      isMarked: false,
      problem,
    });
    return Math.max(end, first);
  }

  #bareJsonList(at: number, first: number): number {
    const { source, tools } = this.#context;
    const key = firstKey(source.text, first);
    if (!key || !(callKeys.has(key.name) || isToolKey(key.name, tools))) return at;
    const read = readLiteral(source.text, at);
    if (!read.ok) source.countFailure(read.at - at);
    const calls = read.ok ? bareCalls(read.value, tools) : [];
    if (!read.ok || calls.length === 0) return at;
    const traced = calls.map((call) => ({ ...call, ...tracesOf({ repaired: read.grade !== 'exact' }) }));
    return this.#add({ kind: 'calls', start: at, end: read.end, calls: traced, isMarked: false }) ?? at;
  }

  /** An object that means calls or an answer; one that means nothing is passed over whole. */
  #bareJson(at: number): number {
    const { source, tools } = this.#context;
    const key = firstKey(source.text, at);
    if (!key) return at;
    const mayMean = callKeys.has(key.name) || isToolKey(key.name, tools);
    if (!mayMean && !key.isQuoted) return at;
    if (!mayMean) {
      const read = readLiteral(source.text, at);
      if (read.ok && read.grade === 'exact') return this.#meaning(at, read.end, read.value, {}) ?? read.end;
      source.countFailure((read.ok ? read.end : read.at) - at);
      return at;
    }
    const fence = source.find('\n```', at);
    const limit = fence === -1 ? source.text.length : fence;
    const read = readValue(source, at, { limit, marks: bareEnds });
    if (read.ok) return this.#meaning(at, read.end, read.value, read) ?? (read.repaired ? at : read.end);
    if (isToolKey(key.name, tools) || this.#namesTool(at)) this.#unreadable(at, read.reason, {});
    return at;
  }

  #meaning(start: number, end: number, value: unknown, traces: Traces): number | undefined {
    if (!isRecord(value)) return undefined;
    const said = answerKeys.filter((key) => value[key] !== undefined && value[key] !== null);
    const listed = value.tool_calls ?? undefined;
    const isEmptyList = Array.isArray(listed) && listed.length === 0;
    const calls = bareCalls(value, this.#context.tools).map((call) => ({ ...call, ...tracesOf(traces) }));
    const [key] = said;
    if (key !== undefined && listed !== undefined && !isEmptyList) {
      const problem = `tool_calls and ${key} stand in one object`;
      return this.#add({ kind: 'calls', start, end, calls: [], isMarked: false, problem });
    }
    if (calls.length > 0 || (isEmptyList && key === undefined))
      return this.#add({ kind: 'calls', start, end, calls, isMarked: false });
    return key === undefined ? undefined : this.#add({ kind: 'answer', start, end, key, value: value[key] });
  }

  /** Whether broken JSON was clearly meant as a call: it names a known tool where a name belongs. */
  #namesTool(at: number): boolean {
    const { source, tools } = this.#context;
    const head = source.text.slice(at, at + 400);
    const name =
      /["'“]?(?:name|tool|tool_name|function)["'”]?\s{0,20}:\s{0,20}["'“]([\w.-]{1,128})["'”]/.exec(
        head,
      )?.[1];
    return head.startsWith('{"tool_calls"') || (name !== undefined && tools.knows(name));
  }

  /** A known tool's name before the object: on the line before, as an action, or as a heading of its arguments. */
  #namedArguments(at: number): number | undefined {
    const { source, tools } = this.#context;
    if (!/[\s:`*]/.test(source.text[at - 1] ?? 'x')) return undefined;
    const from = Math.max(this.#scan.candidates.at(-1)?.end ?? 0, at - maxHeadChars);
    const before = source.text.slice(from, at);
    const last = /([\w.-]{1,128})[`*":\s]{0,12}$/.exec(before.slice(-160))?.[1];
    if (last === undefined || !(headWords.has(last.toLowerCase()) || tools.knows(last))) return undefined;
    if (!source.spend(2 * maxHeadChars)) return undefined;
    for (const { family, head, isMarked } of heads) {
      const found = head.exec(before);
      const name = found?.groups?.name;
      if (!found || name === undefined || !tools.knows(name)) continue;
      if (family === 'functionary' && !isToolKey(name, tools)) continue;
      const read = readArguments(source, at, lineDialect);
      if (!read.ok) return this.#unreadable(at, read.reason, { family, isMarked });
      if (!isRecord(read.arguments)) return undefined;
      if (family === 'named-arguments' && !this.#fits(name, read.arguments)) return undefined;
      const calls = [{ name, arguments: read.arguments, ...tracesOf(read) }];
      return this.#add({
        kind: 'calls',
        start: at - found[0].length,
        end: read.end,
        calls,
        family,
        isMarked,
      });
    }
    return undefined;
  }

  /** Whether all of the arguments are the tool's own, and there are any. */
  #fits(name: string, args: Record<string, unknown>): boolean {
    const { own } = this.#context.tools.parametersOf(name);
    const keys = Object.keys(args);
    return keys.length > 0 && keys.every((key) => canonicalName(key, own) !== undefined);
  }
}

const answerKeys = ['response', 'request_approval'] as const;
/** What may stand behind bare JSON whose closing brackets were left out. */
const bareEnds = ['```', '</tool_call>', ...endMarks];
const maxHeadChars = 220;
const lineDialect: Dialect = { family: '', open: 'Action:', close: ['\nObservation:'], bodies: [] };
const headWords = new Set('input arguments parameters args params json'.split(' '));
const heads: readonly { family: string; head: RegExp; isMarked: boolean }[] = [
  {
    family: 'react',
    head: /(?:^|\n)[ \t]{0,8}Action:[ \t]{0,8}(?<name>[\w.-]{1,128})\s{1,8}Action Input:\s{0,8}(?:```(?:json)?\s{1,4})?$/,
    isMarked: true,
  },
  {
    family: 'functionary',
    head: /(?:^|\n)[ \t]*(?<name>[\w.-]{1,128})[ \t]{0,8}\n\s{0,6}$/,
    isMarked: false,
  },
  {
    family: 'named-arguments',
    head: /(?:^|\n)[ \t>*#-]{0,8}(?:```|(?:tool|function|call|action|use)(?: name| call)?[ \t]{0,4}:)?[ \t`*"]{0,6}(?<name>[a-z]+_[a-z_]{1,40}|shell|bash)[`*":]{0,6}\s{0,4}(?:(?:arguments|parameters|args|input|params)[`*"]{0,4}[ \t]{0,4}:[`*]{0,4}\s{0,4})?(?:```(?:json)?\s{1,4})?$/i,
    isMarked: false,
  },
];

/** A look at the character behind a bracket, which ends the search at most brackets of prose and code. */
function mayBegin(text: string, at: number): boolean {
  const next = text[at + 1] ?? '';
  if (text[at] === '<') return /[a-z|/!\]｜_]/i.test(next);
  if (text[at] === '{') return /[\w\s"'“/#$_]/.test(next);
  return text[at] !== '[' || /[\w\s{\\\u00C0-\uFFFF]/.test(next) || text[at - 1] === 's';
}

/** The first key of an object, quoted in any way or bare; undefined when it does not begin like an object. */
function firstKey(text: string, at: number): { name: string; isQuoted: boolean } | undefined {
  const head = text.slice(at, at + 120);
  const key = /^\{\s{0,40}(?:(["'“]?)([A-Za-z_$][\w\\-]{0,60})["'”]?\s{0,20}:|(["/#]))/.exec(head);
  if (!key) return undefined;
  if (key[3] !== undefined) return { name: key[3] === '"' ? '' : 'name', isQuoted: key[3] === '"' };
  return { name: key[2] ?? '', isQuoted: key[1] === '"' };
}

/** A name with an equals sign or a string behind the bracket, which no sentence about a function has. */
function beginsArguments(text: string, open: number): boolean {
  return /^ ?\(\s{0,8}(?:["']|\w{1,40}\s{0,4}=\s{0,4}["'\d[{TFN])/.test(text.slice(open, open + 80));
}

/** Past stray brackets and the mark that closes the block. */
function pastClose(source: Context['source'], at: number, { close }: Dialect): number {
  const position = source.skipSpace(at);
  const mark = source.markAt(close, position);
  return mark === undefined ? at : position + mark.length;
}
