/**
 * Parses a model's answer: calls, a final answer, a question for approval, a malformed answer, or none. Calls
 * parsed by the server come first, then the calls in the text, in order. Text that its grammar can parse is
 * accepted; doubt concerns one call and the text after it. Pure, never throws, linear in the length of the
 * answer.
 */
import { isRecord } from '../../base/values/json.ts';
import { acceptCandidates } from './accept.ts';
import { finishCall } from './finish.ts';
import { indexTools, type KnownTools, type ToolsOption } from '../../tools/known-tools.ts';
import { proseBeforeCall, trimProse, extractVisibleText } from './prose.ts';
import { maxCalls, type CallCandidate, type ParsedAnswer, type ParseMode, type RawCall } from './result.ts';
import { scanAnswer, type Scan } from './scan.ts';
import { Source } from './source.ts';
import { readStructured } from './structured-answer.ts';
import { removeThinking } from './thinking.ts';
import { takeCalls } from './take-calls.ts';

export interface ParseOptions {
  /**
   * Definitions, names or a registry. By default any name is accepted, and the schemas of the standard tools
   * set the types of arguments.
   */
  tools?: ToolsOption | null;
  /** `structured` requires one object; in the other modes prose is a final answer. Default `native`. */
  mode?: ParseMode;
}

/** Message of Ollama, or only its content. Missing and null fields count as empty. */
export type AnswerMessage =
  | string
  | null
  | undefined
  | { role?: string; content?: string | null; thinking?: string | null; tool_calls?: unknown };

/**
 * Parses an answer. `thinking` is read only if the answer is otherwise empty, and only if it ends in a call.
 */
export function parseToolCalls(message: AnswerMessage, options: ParseOptions = {}): ParsedAnswer {
  const fields: Record<string, unknown> = isRecord(message) ? message : { content: message };
  const content = typeof fields.content === 'string' ? fields.content : '';
  const tools = indexTools(options.tools);
  const native = parseNativeAnswer(fields.tool_calls, content, tools);
  if (native) return native;
  if (options.mode === 'structured') return parseStructured(content, tools);
  const answer = parseText(content, tools);
  const thinking = typeof fields.thinking === 'string' ? fields.thinking : '';
  return answer.type === 'empty' && thinking !== '' ? (readEndingCalls(thinking, tools) ?? answer) : answer;
}

/**
 * Reads `message.tool_calls` in Ollama's or OpenAI's form. Returns undefined if there are none. Each call
 * fails separately: dispatch refuses the raw text of a call that cannot be read.
 */
function parseNativeAnswer(calls: unknown, content: string, tools: KnownTools): ParsedAnswer | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const native = calls.flatMap(parseNativeCall);
  if (native.length === 0) return { type: 'malformed', reason: 'a native tool call without a name', content };
  const finished = native.slice(0, maxCalls).map((call) => finishCall(call, tools));
  const lost = finished.find((call) => !call.ok && call.raw.arguments === '');
  if (lost?.ok === false) return { type: 'malformed', reason: lost.reason, content };
  const prose = removeThinking(content);
  return {
    type: 'tool_calls',
    calls: finished.map((call) => (call.ok ? call.call : call.raw)),
    layer: 'native',
    ...(prose !== '' && { content: prose }),
    ...(native.length > maxCalls && { hasMore: true }),
  };
}

function parseNativeCall(entry: unknown): RawCall[] {
  if (!isRecord(entry)) return [];
  const { name, arguments: args, parameters } = isRecord(entry.function) ? entry.function : entry;
  if (typeof name !== 'string' || name.trim() === '') return [];
  const id = typeof entry.id === 'string' && entry.id !== '' ? entry.id : undefined;
  return [{ name: name.trim(), arguments: args ?? parameters, ...(id !== undefined && { id }) }];
}

function parseStructured(content: string, tools: KnownTools): ParsedAnswer {
  const source = new Source(removeThinking(content));
  if (source.text === '') return { type: 'empty', content: '' };
  const candidate = readStructured({ source, tools });
  if (candidate.answer) return candidate.answer;
  const taken = takeCalls([candidate], { source, tools });
  if (taken.calls.length > 0) return { type: 'tool_calls', layer: 'json', ...taken };
  if (taken.unread !== undefined) return { type: 'malformed', reason: taken.unread, content };
  return { type: 'empty', content: '' };
}

function parseText(content: string, tools: KnownTools): ParsedAnswer {
  const context = { source: new Source(content), tools };
  const scan = scanAnswer(context);
  const accepted = acceptCandidates(context, scan);
  const [first] = accepted.calls;
  const taken = takeCalls(accepted.calls, context);
  if (first && taken.calls.length > 0) {
    const before = proseBeforeCall(extractVisibleText(content, scan.removed, 0, first.start));
    return {
      type: 'tool_calls',
      layer: first.family === undefined ? 'json' : 'tagged',
      ...(first.family !== undefined && { family: first.family }),
      ...(before !== '' && { content: before }),
      ...taken,
    };
  }
  if (taken.unread !== undefined) return { type: 'malformed', reason: taken.unread, content };
  if (accepted.answer) return accepted.answer;
  if (accepted.unread !== undefined) return { type: 'malformed', reason: accepted.unread, content };
  return readAnswerWithoutCalls(content, scan, accepted.calls, tools);
}

/**
 * Returns the outcome of an answer without calls. If the answer consists only of thinking, the calls at the
 * end of the thinking count.
 */
function readAnswerWithoutCalls(
  content: string,
  scan: Scan,
  empty: readonly CallCandidate[],
  tools: KnownTools,
): ParsedAnswer {
  const removed = [...scan.removed, ...empty].sort((a, b) => a.start - b.start);
  const text = trimProse(extractVisibleText(content, removed, 0, content.length));
  if (text !== '') return { type: 'final_answer', content: text };
  const { thought } = scan;
  const called = thought && readEndingCalls(content.slice(thought.start, thought.end), tools);
  return called ?? { type: 'empty', content: '' };
}

/** Returns the calls at the end of a text, if all of them are certain. */
function readEndingCalls(text: string, tools: KnownTools): ParsedAnswer | undefined {
  const context = { source: new Source(text), tools };
  const scan = scanAnswer(context);
  const { calls } = acceptCandidates(context, scan);
  const last = calls.at(-1);
  if (!last || trimProse(text.slice(last.end)) !== '') return undefined;
  const answer = parseText(text.slice(calls[0]?.start), tools);
  return answer.type === 'tool_calls' && answer.unread === undefined ? answer : undefined;
}
