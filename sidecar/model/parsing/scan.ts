/**
 * One pass over an answer's text, left to right: whatever begins first owns its span. So JSON inside a tagged
 * block is that block's argument, a tag inside a JSON string is text, and thinking is never read.
 */
import { formats } from './formats/table.ts';
import { bareName, markAt, nameEnd, type Format, type Reading } from './formats/format.ts';
import { readArguments, tracesOf } from './formats/json-body.ts';
import { elementAdvice } from './formats/element.ts';
import { isToolElement, readNamedElement } from './formats/named-element.ts';
import { readCallList } from './formats/pythonic-body.ts';
import { namedLineBody } from './formats/named-json-body.ts';
import { readJsonCandidate, type JsonCandidate } from './json-candidate.ts';
import { canonicalName, type KnownTools } from './known-tools.ts';
import type { Span } from './prose.ts';
import { maxCalls, type RawCall } from './result.ts';
import { isSpace, type Source } from './source.ts';
import { Starts } from './starts.ts';
import { isRecord } from '../../values/json.ts';
import { readThinking, thinkingOpens } from './thinking.ts';

export interface TaggedBlock extends Span {
  calls: RawCall[];
  family: string;
  /** False for calls without marks of their own (a bare pythonic list): they count only when known or alone. */
  marked: boolean;
  /** The row of the table that the marks are of. */
  format?: Format;
}

/** All that was found, in the order of the text. */
export interface Scan {
  json: (JsonCandidate & Span)[];
  blocks: TaggedBlock[];
  /** Why something that was clearly meant as a call could not be read. */
  problems: { start: number; reason: string }[];
  /**
   * Where something first begins that looks like a call and cannot be read: what is found behind it may be part of its
   * texts. Infinity when there is nothing of the kind.
   */
  doubtFrom: number;
  /** Thinking, hallucinated results and marks around blocks: no part of the prose. */
  removed: Span[];
  callCount: number;
  /** Where reading stopped, before the end of the text where there are too many calls. */
  end: number;
}

const maxUnreadable = 20_000;

const resultOpen = '<tool_response>';
const resultClose = '</tool_response>';
/** A line with only a name before the arguments (Functionary 3.2). */
const namedLine: Format = { family: 'functionary', open: '>>>', close: ['>>>'], readers: [namedLineBody] };
const actionLine: Format = { family: 'react', open: 'Action:', close: ['\nObservation:'], readers: [] };
const rows = indexRows();
const markStarts: ReadonlySet<number> = new Set(
  [...formats.map(({ open }) => open), ...thinkingOpens, resultOpen].map((mark) =>
    startCode(mark, mark.search(/[<[]/)),
  ),
);

const emptyScan = (): Omit<Scan, 'end'> => ({
  json: [],
  blocks: [],
  problems: [],
  doubtFrom: Infinity,
  removed: [],
  callCount: 0,
});

/** `owned`: spans that are read in another way, in order; nothing in them is looked at. */
export function scanAnswer(source: Source, tools: KnownTools, owned: readonly Span[] = []): Scan {
  const scan: Scan = { ...emptyScan(), end: source.text.length };
  const starts = new Starts(source.text);
  let at = starts.next(0);
  let next = 0;
  while (at !== -1 && source.isPatient && scan.callCount <= maxCalls) {
    while ((owned[next]?.end ?? Infinity) <= at) next += 1;
    const span = owned[next];
    const reached: number = span && span.start <= at ? span.end : readAt(source, tools, at, scan);
    if (scan.callCount > maxCalls) scan.end = reached;
    at = starts.next(reached);
  }
  return scan;
}

/** Reads what begins at the bracket `at` into `scan`; returns where the scan goes on. */
function readAt(source: Source, tools: KnownTools, at: number, scan: Scan): number {
  const { text } = source;
  if (text[at] === '{')
    return (
      readNamedLine(source, tools, at, scan) ??
      readAction(source, tools, at, scan) ??
      readNamedArguments(source, tools, at, scan) ??
      readBareJson(source, tools, at, scan)
    );
  const marked = mayBeMark(text, at) ? readMarked(source, tools, at, scan) : undefined;
  if (marked !== undefined) return marked;
  return (
    (text[at] === '[' ? readBareCalls(source, tools, at, scan) : readElement(source, tools, at, scan)) ??
    at + 1
  );
}

/** An element that is named like a tool. */
function readElement(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  if (!isToolElement(source, tools, at)) return undefined;
  const reading = readNamedElement(source, tools, at);
  if (!reading) {
    doubt(scan, at);
    return undefined;
  }
  scan.blocks.push({
    start: at,
    end: reading.end,
    calls: reading.calls,
    family: 'named-element',
    marked: false,
  });
  scan.callCount += reading.calls.length;
  return reading.end;
}

/** Thinking, a block of the table, or a result that the model made up. */
function readMarked(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const thinking = readThinking(source, at);
  if (thinking) {
    if (thinking.fromStart) Object.assign(scan, emptyScan());
    scan.removed.push({ start: thinking.fromStart ? 0 : at, end: thinking.end });
    return thinking.end;
  }
  const row = rowAt(source.text, at);
  if (row) return readBlock(source, tools, row, scan);
  if (!source.text.startsWith(resultOpen, at)) return undefined;
  const closing = source.find(resultClose, at);
  const end = closing === -1 ? source.text.length : closing + resultClose.length;
  scan.removed.push({ start: at, end });
  return end;
}

function readBlock(
  source: Source,
  tools: KnownTools,
  { format, start }: { format: Format; start: number },
  scan: Scan,
): number | undefined {
  const afterMark = start + format.open.length;
  const at = format.readsMark ? start : afterMark;
  let reading: Reading | undefined;
  for (const reader of format.readers) reading ??= reader({ source, tools }, at, format);
  if (!reading) {
    const isAround = format.wrapper && source.text[source.skipSpace(afterMark)] === '<';
    if (!isAround) {
      source.countFailure();
      doubt(scan, start);
      doubtBefore(source, scan, format, start);
    }
    if (!format.wrapper) {
      if (isUnreadable(source, format, start, afterMark))
        scan.problems.push({ start, reason: 'the tool call cannot be read' });
      return undefined;
    }
    scan.removed.push({ start, end: afterMark });
    return afterMark;
  }
  const calls = reading.calls.filter(({ name }) => name.trim() !== '');
  const problem = calls.length < reading.calls.length ? 'a tool call without a name' : reading.problem;
  scan.callCount += calls.length;
  if (problem !== undefined) {
    scan.problems.push({ start, reason: problem });
    doubt(scan, start);
  }
  const end = pastClose(source, reading.end, format.close);
  if (calls.length > 0) {
    const family = reading.family ?? format.family;
    const sure = endedTooEarly(source, end, format, reading.closers) ? calls.map(tooEarly) : calls;
    scan.blocks.push({ start, end, calls: sure, family, marked: true, format });
  } else {
    source.countFailure();
    scan.removed.push({ start, end });
  }
  return end;
}

/** Whether something that closes a part of the block stands behind it, before the next block begins. */
function endedTooEarly(
  source: Source,
  end: number,
  format: Format,
  closers: readonly string[] = [],
): boolean {
  let after = end;
  for (;;) {
    const mark = markAt(source, format.close, source.skipSpace(after));
    if (mark === undefined) break;
    after = source.skipSpace(after) + mark.length;
  }
  const next = source.find(format.open, after);
  return [...format.close, ...closers].some((mark) => {
    const found = source.find(mark, after);
    return found !== -1 && (next === -1 || found < next);
  });
}

/** A mark behind a block that opens nothing is rather part of its last value than the beginning of another block. */
function doubtBefore(source: Source, scan: Scan, format: Format, start: number): void {
  const previous = scan.blocks.at(-1);
  const isCutOff = source.skipSpace(start + format.open.length) >= source.text.length;
  if (previous?.format !== format || isCutOff || source.text[start - 1] === '`') return;
  scan.blocks[scan.blocks.length - 1] = { ...previous, calls: previous.calls.map(tooEarly) };
}

const tooEarly = (call: RawCall): RawCall => ({
  ...call,
  uncertain:
    call.uncertain ??
    `a closing mark stands inside of a value, so that its end is not clear. ${elementAdvice}`,
});

/** Whether a block that no reader takes was still meant as a call: it is closed, and not quoted. */
function isUnreadable(source: Source, format: Format, start: number, afterMark: number): boolean {
  if (format.readsMark || source.text[start - 1] === '`') return false;
  const closing = source.findAny(format.close, afterMark);
  return closing !== -1 && closing - afterMark < maxUnreadable;
}

function pastClose(source: Source, at: number, close: readonly string[]): number {
  const position = source.skipSpace(at);
  const mark = markAt(source, close, position);
  return mark === undefined ? at : position + mark.length;
}

/** `[f(a=1)]` without marks around it. */
function readBareCalls(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const name = source.skipSpace(at + 1);
  const afterName = nameEnd(source.text, name);
  if (afterName === name || source.text[afterName] !== '(') return undefined;
  const reading = readCallList(source, at);
  if (!reading) {
    source.countFailure();
    if (tools.knows(bareName(source.text.slice(name, afterName)))) doubt(scan, at);
  }
  // `[text(x=1)](address)` is a link.
  if (!reading || source.text[reading.end] === '(') return undefined;
  scan.blocks.push({ start: at, end: reading.end, calls: reading.calls, family: 'pythonic', marked: false });
  scan.callCount += reading.calls.length;
  return reading.end;
}

/** A known tool's name, or any name after `>>>`, alone on the line before the object. */
function readNamedLine(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const { text } = source;
  let lineEnd = at;
  let breaks = 0;
  while (lineEnd > 0 && at - lineEnd < 8 && isSpace(text.charCodeAt(lineEnd - 1))) {
    lineEnd -= 1;
    if (text[lineEnd] === '\n') breaks += 1;
  }
  if (breaks === 0 || nameEnd(text, lineEnd - 1) !== lineEnd) return undefined;
  const lineStart = Math.max(text.lastIndexOf('\n', lineEnd - 1) + 1, lineEnd - 140);
  const line = text.slice(lineStart, lineEnd);
  const name = line.replace(/^\s*>>>/, '').trim();
  const marked = name !== line.trim();
  if (name === '' || nameEnd(name, 0) !== name.length || !(marked || tools.isExact(name))) return undefined;
  const reading = namedLineBody({ source, tools }, lineEnd - name.length, namedLine);
  if (!reading || reading.calls.length === 0) return undefined;
  scan.blocks.push({ ...reading, start: lineStart, family: 'functionary', marked });
  scan.callCount += reading.calls.length;
  return reading.end;
}

/** `Action: NAME`, and on the next line `Action Input:` before the object (ReAct prompts). */
function readAction(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const { text } = source;
  const previous = text.charCodeAt(at - 1);
  if (previous !== 58 && !isSpace(previous)) return undefined;
  const input = source.find('Input:', Math.max(0, at - 24));
  if (input === -1 || input > at) return undefined;
  const before = text.slice(Math.max(0, at - 220), at);
  const found =
    /(?:^|\n)[ \t]{0,8}Action:[ \t]{0,8}([\w.-]{1,128})\s{1,8}Action Input:\s{0,8}(?:```(?:json)?\s{1,4})?$/.exec(
      before,
    );
  const name = found?.[1];
  if (!found || name === undefined || !tools.knows(name)) return undefined;
  const { end, problem, ...read } = readArguments(source, at, actionLine);
  if (problem !== undefined) {
    doubt(scan, at);
    return undefined;
  }
  const start = at - before.length + found.index;
  scan.blocks.push({ start, end, calls: [{ name, ...read }], family: 'react', marked: true });
  scan.callCount += 1;
  return end;
}

/** A tool's name in a heading, a fence's first line or right before the object: `**read_file**`, `Tool: read_file`. */
const nameBefore =
  /(?:^|\n)[ \t>*#-]{0,8}(?:```|(?:tool|function|call|action|use)(?: name| call)?[ \t]{0,4}:)?[ \t`*"]{0,6}([a-z]+_[a-z_]{1,40}|shell|bash)[`*":]{0,6}\s{0,4}(?:(?:arguments|parameters|args|input|params)[`*"]{0,4}[ \t]{0,4}:[`*]{0,4}\s{0,4})?(?:```(?:json)?\s{1,4})?$/i;

const nameBeforeChars = 160;
/** In every name that `nameBefore` takes. */
const signOfName = /_|shell|bash/gi;

function readNamedArguments(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const { text } = source;
  const previous = text.charCodeAt(at - 1);
  if (!isSpace(previous) && previous !== 58 && previous !== 96) return undefined;
  if (text[source.skipSpace(at + 1)] !== '"') return undefined;
  const from = Math.max(0, at - nameBeforeChars);
  const sign = source.findMatch(signOfName, from);
  if (!sign || sign.index >= at || !source.spend(2 * nameBeforeChars)) return undefined;
  const before = text.slice(from, at);
  const found = nameBefore.exec(before);
  const name = found?.[1];
  if (!found || name === undefined || !tools.knows(name)) return undefined;
  const { end, problem, arguments: args, ...traces } = readArguments(source, at, actionLine);
  if (problem !== undefined || !isRecord(args) || !fitsTool(args, name, tools)) return undefined;
  const start = at - found[0].length;
  const call = { name, arguments: args, ...tracesOf(traces) };
  scan.blocks.push({ start, end, calls: [call], family: 'named-arguments', marked: false });
  scan.callCount += 1;
  return end;
}

function readBareJson(source: Source, tools: KnownTools, at: number, scan: Scan): number {
  const candidate = readJsonCandidate(source, tools, at);
  if (!candidate) return at + 1;
  if (candidate.kind === 'problem') {
    scan.problems.push({ start: at, reason: candidate.reason });
    doubt(scan, at);
    return at + 1;
  }
  scan.json.push({ ...candidate, start: at });
  scan.callCount += candidate.kind === 'calls' ? candidate.calls.length : 0;
  return candidate.end;
}

function doubt(scan: Scan, at: number): void {
  scan.doubtFrom = Math.min(scan.doubtFrom, at);
}

/** Whether all of the arguments are the tool's own, and there are any. */
function fitsTool(args: Record<string, unknown>, name: string, tools: KnownTools): boolean {
  const { properties } = tools.schemaOf(name) ?? {};
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const keys = Object.keys(args);
  return keys.length > 0 && keys.every((key) => canonicalName(key, known) !== undefined);
}

interface Row {
  format: Format;
  /** Where in the opening mark the bracket stands that the scan stops at. */
  offset: number;
}

/** Rows by the bracket in their opening mark and the character after it. */
function indexRows(): ReadonlyMap<string, Row[]> {
  const index = new Map<string, Row[]>();
  for (const format of formats) {
    const offset = format.open.search(/[<[{]/);
    const key = format.open.slice(offset, offset + 2);
    index.set(key, [...(index.get(key) ?? []), { format, offset }]);
  }
  return index;
}

function rowAt(text: string, at: number): { format: Format; start: number } | undefined {
  const candidates = rows.get(text.slice(at, at + 2)) ?? rows.get(text[at] ?? '');
  const row = candidates?.find(({ format, offset }) => text.startsWith(format.open, at - offset));
  return row && { format: row.format, start: at - row.offset };
}

/** A look at the two characters after a bracket, which ends the search at most brackets of prose and code. */
function mayBeMark(text: string, at: number): boolean {
  if (markStarts.has(startCode(text, at))) return true;
  return text.charCodeAt(at) === 91 && text.charCodeAt(at - 1) === 115 && text.endsWith('functools', at);
}

function startCode(text: string, at: number): number {
  return (text.charCodeAt(at) << 24) ^ (text.charCodeAt(at + 1) << 12) ^ text.charCodeAt(at + 2);
}
