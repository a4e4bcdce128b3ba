/**
 * Reads a model's answer: calls, a final answer, a question for approval, something
 * malformed, or nothing. The layers in order: native calls, bare JSON, tagged text; the first that has calls wins.
 * Pure, never throws, linear in the length of the answer.
 */
import { isRecord } from '../../values/json.ts';
import { finishCall } from './finish-call.ts';
import { knownTools, type KnownTools, type ToolsOption } from './known-tools.ts';
import { nativeCalls } from './native-calls.ts';
import { quotedCalls } from './quotation.ts';
import { maxCalls, type Layer, type ParsedAnswer, type ParseMode, type RawCall } from './result.ts';
import { isBlank, proseBeforeCall, trimProse, visibleText, type Span } from './prose.ts';
import { scanAnswer, type Scan } from './scan.ts';
import { Source } from './source.ts';
import { mayHoldPythonLines, pythonAdvice, readPythonLines, type PythonLines } from './python-lines.ts';
import { readStructured } from './structured-answer.ts';
import { afterThinking } from './thinking.ts';

export interface ParseOptions {
  /** Definitions, names or a registry. Without: any name counts, and the standard tools' schemas type arguments. */
  tools?: ToolsOption | null;
  /** `structured` wants one object; in the others prose is a final answer. Default `native`. */
  mode?: ParseMode;
}

/** Any message: Ollama's, or only its content; missing and null fields are empty. `thinking` is never read. */
export type AnswerMessage =
  | string
  | null
  | undefined
  | { role?: string; content?: string | null; thinking?: string | null; tool_calls?: unknown };

export function parseToolCalls(message: AnswerMessage, options: ParseOptions = {}): ParsedAnswer {
  const fields: Record<string, unknown> = isRecord(message) ? message : { content: message };
  const content = typeof fields.content === 'string' ? fields.content : '';
  const tools = knownTools(options.tools);
  const native = nativeCalls(fields);
  if (native && native.length === 0)
    return { type: 'malformed', reason: 'a native tool call without a name', content };
  if (native) {
    const prose = withoutThinking(content);
    return calls(native, 'native', tools, new Source(''), { ...(prose !== '' && { content: prose }) });
  }
  return options.mode === 'structured' ? parseStructured(content, tools) : parseText(content, tools);
}

function calls(
  found: RawCall[],
  layer: Layer,
  tools: KnownTools,
  source: Source,
  rest: { family?: string; content?: string; hasMore?: true },
): ParsedAnswer {
  const finished = found.slice(0, maxCalls).map((call) => finishCall(call, tools, source));
  const refused = finished.find((call) => !call.ok);
  // Native calls fail one by one: dispatch refuses the text that is left. In a text nothing else is certain then.
  if (refused?.ok === false && (layer !== 'native' || refused.raw.arguments === ''))
    return { type: 'malformed', reason: refused.reason, content: source.text };
  return {
    type: 'tool_calls',
    calls: finished.map((call) => (call.ok ? call.call : call.raw)),
    layer,
    ...rest,
    ...(found.length > maxCalls && { hasMore: true }),
  };
}

function parseStructured(content: string, tools: KnownTools): ParsedAnswer {
  const source = new Source(afterThinking(content));
  if (source.text === '') return { type: 'empty', content: '' };
  const answer = readStructured(source, tools);
  if (answer.kind === 'malformed') return { type: 'malformed', reason: answer.reason, content };
  if (answer.kind === 'calls')
    return answer.calls.length === 0
      ? { type: 'empty', content: '' }
      : calls(answer.calls, 'json', tools, source, {});
  return said(answer.kind, answer.text);
}

function said(key: 'response' | 'request_approval', text: string): ParsedAnswer {
  const trimmed = text.trim();
  if (trimmed === '') return { type: 'empty', content: '' };
  return key === 'response' ? { type: 'final_answer', content: text } : { type: 'approval', question: text };
}

function parseText(content: string, tools: KnownTools): ParsedAnswer {
  if (!mayHoldMarks(content) && !mayHoldPythonLines(content)) return prose(content);
  const source = new Source(content);
  const python = mayHoldPythonLines(content) ? readPythonLines(source, tools) : undefined;
  const scan = withoutQuoted(source, scanAnswer(source, tools, python?.spans));
  return (
    jsonAnswer(source, scan, tools) ??
    taggedAnswer(source, scan, tools) ??
    pythonAnswer(source, scan, tools, python) ??
    problemAnswer(scan, content) ??
    aloneAnswer(source, scan, tools) ??
    prose(visibleText(content, scan.removed, 0, content.length))
  );
}

/** What was found without the calls that are only quoted, which are prose. */
function withoutQuoted(source: Source, scan: Scan): Scan {
  const text = source.text.slice(0, scan.end);
  const found = [
    ...scan.json
      .filter(({ kind }) => kind === 'calls')
      .map((item) => ({
        start: item.start,
        end: item.end,
        bare: item.kind === 'calls' && item.calls.every(({ uncertain }) => uncertain === undefined),
        item: item as unknown,
      })),
    ...scan.blocks.map((item) => ({
      start: item.start,
      end: item.end,
      bare: !item.marked,
      item: item as unknown,
    })),
    ...scan.problems.map((item) => ({
      start: item.start,
      end: item.start,
      bare: false,
      item: item as unknown,
    })),
  ].sort((a, b) => a.start - b.start);
  if (found.length === 0) return scan;
  const quoted = quotedCalls(text, found, scan.removed);
  const items = new Set(found.filter((call) => quoted.has(call)).map(({ item }) => item));
  if (items.size === 0) return scan;
  return {
    ...scan,
    json: scan.json.filter((item) => !items.has(item)),
    blocks: scan.blocks.filter((item) => !items.has(item)),
    problems: scan.problems.filter((item) => !items.has(item)),
  };
}

function mayHoldMarks(content: string): boolean {
  return content.includes('{') || content.includes('<') || content.includes('[');
}

function prose(text: string): ParsedAnswer {
  const content = trimProse(text);
  return content === '' ? { type: 'empty', content: '' } : { type: 'final_answer', content };
}

/** Layer 2: bare JSON that names known tools (any tools, when the caller named none). */
function jsonAnswer(source: Source, scan: Scan, tools: KnownTools): ParsedAnswer | undefined {
  if (scan.json.some(({ kind }) => kind === 'conflict'))
    return {
      type: 'malformed',
      reason: 'tool_calls and response stand in one object',
      content: source.text,
    };
  const accepted = scan.json.flatMap((candidate) =>
    candidate.kind === 'calls'
      ? candidate.calls
          .filter(({ name }) => !tools.explicit || tools.knows(name))
          .map((call) => ({ call: doubtful(call, candidate, scan), start: candidate.start }))
      : [],
  );
  const [first] = accepted;
  if (!first) return undefined;
  const found = accepted.map(({ call }) => call);
  return calls(found, 'json', tools, source, around(source.text, scan, first.start));
}

/** Layer 3: tagged text. A name that is not known is still a call, except where no mark says that it is one. */
function taggedAnswer(source: Source, scan: Scan, tools: KnownTools): ParsedAnswer | undefined {
  const accepted = scan.blocks.filter(
    ({ marked, calls, start, end }) =>
      marked || calls.every(({ name }) => tools.knows(name)) || isAlone(source.text, scan, start, end),
  );
  const [first] = accepted;
  if (!first) return undefined;
  const found = accepted.flatMap((block) => block.calls.map((call) => doubtful(call, block, scan)));
  const rest = { family: first.family, ...around(source.text, scan, first.start) };
  return calls(found, 'tagged', tools, source, rest);
}

function pythonAnswer(
  source: Source,
  scan: Scan,
  tools: KnownTools,
  python: PythonLines | undefined,
): ParsedAnswer | undefined {
  const start = python?.spans[0]?.start ?? 0;
  const isInside = [...scan.removed, ...scan.json].some((span) => span.start <= start && start < span.end);
  if (!python || isInside || quotedCalls(source.text, python.spans.map(asQuotable)).size > 0)
    return undefined;
  if (python.calls.length === 0)
    return { type: 'malformed', reason: `the call cannot be read. ${pythonAdvice}`, content: source.text };
  const rest = { family: python.family, ...around(source.text, scan, start) };
  return calls(python.calls, 'tagged', tools, source, rest);
}

const asQuotable = (span: Span) => ({ ...span, bare: false });

/** What stands behind something unreadable may be part of it, and is not run where it changes anything. */
function doubtful(call: RawCall, { start }: Span, { doubtFrom }: Scan): RawCall {
  return start <= doubtFrom
    ? call
    : {
        ...call,
        uncertain: call.uncertain ?? 'it stands behind a call that cannot be read. Send the whole call again',
      };
}

function problemAnswer(scan: Scan, content: string): ParsedAnswer | undefined {
  const [problem] = scan.problems;
  return problem && { type: 'malformed', reason: problem.reason, content };
}

/** What counts only when it is the whole answer: calls with unknown names, and `response` (which prose may precede). */
function aloneAnswer(source: Source, scan: Scan, tools: KnownTools): ParsedAnswer | undefined {
  const [first] = scan.json;
  const last = scan.json.at(-1);
  if (!first || !last || !isBlank(visibleText(source.text, scan.removed, last.end, source.text.length)))
    return undefined;
  if (last.kind === 'answer')
    return said(last.key, typeof last.value === 'string' ? last.value : textOf(last.value));
  if (!isAlone(source.text, scan, first.start, last.end)) return undefined;
  const found = scan.json.flatMap((candidate) => (candidate.kind === 'calls' ? candidate.calls : []));
  if (found.length > 0) return calls(found, 'json', tools, source, {});
  return scan.json.every(({ kind }) => kind === 'calls') ? { type: 'empty', content: '' } : undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function around(text: string, scan: Scan, start: number): { content?: string; hasMore?: true } {
  const before = proseBeforeCall(visibleText(text, scan.removed, 0, start));
  return { ...(before !== '' && { content: before }), ...(scan.end < text.length && { hasMore: true }) };
}

function isAlone(text: string, scan: Scan, start: number, end: number): boolean {
  return (
    isBlank(visibleText(text, scan.removed, 0, start)) &&
    isBlank(visibleText(text, scan.removed, end, text.length))
  );
}

function withoutThinking(content: string): string {
  if (!content.includes('think>')) return content.trim();
  const source = new Source(content);
  const { removed } = scanAnswer(source, knownTools(undefined));
  return visibleText(content, removed, 0, content.length).trim();
}
