/**
 * One pass over an answer's text, left to right: whatever begins first owns its span. So JSON inside a tagged
 * block is that block's argument, a tag inside a JSON string is text, and thinking is never read.
 */
import { formats } from './formats/table.ts';
import { markAt, nameEnd, type Format, type Reading } from './formats/format.ts';
import { readCallList } from './formats/pythonic-body.ts';
import { namedLineBody } from './formats/named-json-body.ts';
import { readJsonCandidate, type JsonCandidate } from './json-candidate.ts';
import type { KnownTools } from './known-tools.ts';
import type { Span } from './prose.ts';
import type { RawCall } from './result.ts';
import type { Source } from './source.ts';
import { readThinking } from './thinking.ts';

export interface TaggedBlock extends Span {
  calls: RawCall[];
  family: string;
  /** False for calls without marks of their own (a bare pythonic list): they count only when known or alone. */
  marked: boolean;
}

/** All that was found, in the order of the text. */
export interface Scan {
  json: (JsonCandidate & Span)[];
  blocks: TaggedBlock[];
  /** Why something that was clearly meant as a call could not be read. */
  problems: string[];
  /** Thinking, hallucinated results and marks around blocks: no part of the prose. */
  removed: Span[];
}

const resultOpen = '<tool_response>';
const resultClose = '</tool_response>';
/** A line with only a name before the arguments (Functionary 3.2). */
const namedLine: Format = { family: 'functionary', open: '>>>', close: ['>>>'], readers: [namedLineBody] };
const rows = indexRows();

export function scanAnswer(source: Source, tools: KnownTools): Scan {
  const scan: Scan = { json: [], blocks: [], problems: [], removed: [] };
  const { starts } = source.brackets;
  let i = 0;
  while (i < starts.length) {
    const end = readAt(source, tools, starts[i] ?? 0, scan);
    do i += 1;
    while (i < starts.length && (starts[i] ?? 0) < end);
  }
  return scan;
}

/** Reads what begins at the bracket `at` into `scan`; returns where the scan goes on. */
function readAt(source: Source, tools: KnownTools, at: number, scan: Scan): number {
  const char = source.text[at];
  if (char === '{') return readNamedLine(source, tools, at, scan) ?? readBareJson(source, tools, at, scan);
  const thinking = readThinking(source, at);
  if (thinking) {
    if (thinking.fromStart) Object.assign(scan, { json: [], blocks: [], problems: [] });
    scan.removed.push({ start: thinking.fromStart ? 0 : at, end: thinking.end });
    return thinking.end;
  }
  const row = rowAt(source.text, at);
  if (row) return readBlock(source, tools, row, scan) ?? at + 1;
  if (source.text.startsWith(resultOpen, at)) {
    const closing = source.find(resultClose, at);
    const end = closing === -1 ? source.text.length : closing + resultClose.length;
    scan.removed.push({ start: at, end });
    return end;
  }
  return (char === '[' ? readBareCalls(source, at, scan) : undefined) ?? at + 1;
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
    if (!format.wrapper) return undefined;
    scan.removed.push({ start, end: afterMark });
    return afterMark;
  }
  const { calls, problem } = reading;
  if (problem !== undefined) scan.problems.push(problem);
  const end = pastClose(source, reading.end, format.close);
  if (calls.length > 0)
    scan.blocks.push({ start, end, calls, family: reading.family ?? format.family, marked: true });
  else scan.removed.push({ start, end });
  return end;
}

function pastClose(source: Source, at: number, close: readonly string[]): number {
  const position = source.skipSpace(at);
  const mark = markAt(source, close, position);
  return mark === undefined ? at : position + mark.length;
}

/** `[f(a=1)]` without marks around it. */
function readBareCalls(source: Source, at: number, scan: Scan): number | undefined {
  const name = source.skipSpace(at + 1);
  const afterName = nameEnd(source.text, name);
  if (afterName === name || source.text[afterName] !== '(') return undefined;
  const reading = readCallList(source, at);
  // `[text(x=1)](address)` is a link.
  if (!reading || source.text[reading.end] === '(') return undefined;
  scan.blocks.push({ start: at, end: reading.end, calls: reading.calls, family: 'pythonic', marked: false });
  return reading.end;
}

/** A known tool's name, or any name after `>>>`, alone on the line before the object. */
function readNamedLine(source: Source, tools: KnownTools, at: number, scan: Scan): number | undefined {
  const { text } = source;
  let lineEnd = at;
  while (lineEnd > 0 && at - lineEnd < 8 && ' \t\r\n'.includes(text[lineEnd - 1] ?? '')) lineEnd -= 1;
  if (!text.slice(lineEnd, at).includes('\n')) return undefined;
  const lineStart = Math.max(text.lastIndexOf('\n', lineEnd - 1) + 1, lineEnd - 140);
  const line = text.slice(lineStart, lineEnd);
  const name = line.replace(/^\s*>>>/, '').trim();
  const marked = name !== line.trim();
  if (name === '' || nameEnd(name, 0) !== name.length || !(marked || tools.knows(name))) return undefined;
  const reading = namedLineBody({ source, tools }, lineEnd - name.length, namedLine);
  if (!reading || reading.calls.length === 0) return undefined;
  scan.blocks.push({ ...reading, start: lineStart, family: 'functionary', marked });
  return reading.end;
}

function readBareJson(source: Source, tools: KnownTools, at: number, scan: Scan): number {
  const candidate = readJsonCandidate(source, tools, at);
  if (!candidate) return at + 1;
  if (candidate.kind === 'problem') {
    scan.problems.push(candidate.reason);
    return at + 1;
  }
  scan.json.push({ ...candidate, start: at });
  return candidate.end;
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
