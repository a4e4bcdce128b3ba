/**
 * Parses a model's answer: calls, a final answer, a question for approval, a malformed answer, or an empty one. Calls that the server
 * parsed come first, then the calls in the text, in order. A text that its grammar can parse is accepted. A doubt concerns only one call
 * and the text after it. Pure, never throws, linear in the length of the answer.
 */
import { isRecord } from '../../base/values/json.ts';
import { acceptCandidates } from './accept-candidates.ts';
import { finishCall } from './finish-call.ts';
import { indexTools, type KnownTools, type ToolsOption } from '../../tools/known-tools.ts';
import { extractProseBeforeCall, trimProse, extractVisibleText } from './prose.ts';
import {
  MAX_CALLS,
  type CallCandidate,
  type ParsedAnswer,
  type ParseMode,
  type RawCall,
} from './parsed-answer.ts';
import { scanAnswer, type AnswerScan } from './scan-answer.ts';
import { AnswerText } from './answer-text.ts';
import { readStructured } from './structured-answer.ts';
import { removeThinking } from './thinking.ts';
import { takeCalls } from './take-calls.ts';

export interface ParseOptions {
  /**
   * Known tools: definitions, names or a registry. By default any name is accepted, and the schemas of the standard tools determine the
   * types of arguments.
   */
  tools?: ToolsOption | null;
  /** Expected form of the answer. `structured` requires one object; in the other modes prose is a final answer. Default: `native`. */
  mode?: ParseMode;
}

/** Message of Ollama, or only its content. Missing and null fields count as empty. */
export type AnswerMessage =
  | string
  | null
  | undefined
  | { role?: string; content?: string | null; thinking?: string | null; tool_calls?: unknown };

/** Parses an answer. `thinking` is used only if the rest of the answer is empty, and only if it ends with a call. */
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
 * Parses `message.tool_calls` in Ollama's or OpenAI's form. Returns undefined if there are none. If a call cannot be read, the others are
 * still used, and dispatch refuses the raw text of that call.
 */
function parseNativeAnswer(calls: unknown, content: string, tools: KnownTools): ParsedAnswer | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const nativeCalls = calls.flatMap(parseNativeCall);
  if (nativeCalls.length === 0)
    return { type: 'malformed', reason: 'a native tool call without a name', content };
  const finishedCalls = nativeCalls.slice(0, MAX_CALLS).map((call) => finishCall(call, tools));
  const unreadableCall = finishedCalls.find((call) => !call.ok && call.raw.arguments === '');
  if (unreadableCall?.ok === false) return { type: 'malformed', reason: unreadableCall.reason, content };
  const prose = removeThinking(content);
  return {
    type: 'tool_calls',
    calls: finishedCalls.map((call) => (call.ok ? call.call : call.raw)),
    layer: 'native',
    ...(prose !== '' && { content: prose }),
    ...(nativeCalls.length > MAX_CALLS && { hasMore: true }),
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
  const source = new AnswerText(removeThinking(content));
  if (source.text === '') return { type: 'empty', content: '' };
  const candidate = readStructured({ source, tools });
  if (candidate.answer) return candidate.answer;
  const selection = takeCalls([candidate], { source, tools });
  if (selection.calls.length > 0) return { type: 'tool_calls', layer: 'json', ...selection };
  if (selection.unread !== undefined) return { type: 'malformed', reason: selection.unread, content };
  return { type: 'empty', content: '' };
}

function parseText(content: string, tools: KnownTools): ParsedAnswer {
  const context = { source: new AnswerText(content), tools };
  const scan = scanAnswer(context);
  const accepted = acceptCandidates(context, scan);
  const [first] = accepted.calls;
  const selection = takeCalls(accepted.calls, context);
  if (first && selection.calls.length > 0) {
    const proseBefore = extractProseBeforeCall(
      extractVisibleText(content, scan.removedSpans, 0, first.start),
    );
    return {
      type: 'tool_calls',
      layer: first.family === undefined ? 'json' : 'tagged',
      ...(first.family !== undefined && { family: first.family }),
      ...(proseBefore !== '' && { content: proseBefore }),
      ...selection,
    };
  }
  if (selection.unread !== undefined) return { type: 'malformed', reason: selection.unread, content };
  if (accepted.answer) return accepted.answer;
  if (accepted.unreadReason !== undefined)
    return { type: 'malformed', reason: accepted.unreadReason, content };
  return readAnswerWithoutCalls(content, scan, accepted.calls, tools);
}

/**
 * Returns the outcome of an answer without calls. If the answer consists only of thinking, the calls at the end of the thinking are used.
 */
function readAnswerWithoutCalls(
  content: string,
  scan: AnswerScan,
  empty: readonly CallCandidate[],
  tools: KnownTools,
): ParsedAnswer {
  const removedSpans = [...scan.removedSpans, ...empty].sort((a, b) => a.start - b.start);
  const text = trimProse(extractVisibleText(content, removedSpans, 0, content.length));
  if (text !== '') return { type: 'final_answer', content: text };
  const { lastThinking } = scan;
  const callsInThinking =
    lastThinking && readEndingCalls(content.slice(lastThinking.start, lastThinking.end), tools);
  return callsInThinking ?? { type: 'empty', content: '' };
}

/** Returns the calls at the end of a text, if all of them are certain. */
function readEndingCalls(text: string, tools: KnownTools): ParsedAnswer | undefined {
  const context = { source: new AnswerText(text), tools };
  const scan = scanAnswer(context);
  const { calls } = acceptCandidates(context, scan);
  const last = calls.at(-1);
  if (!last || trimProse(text.slice(last.end)) !== '') return undefined;
  const answer = parseText(text.slice(calls[0]?.start), tools);
  return answer.type === 'tool_calls' && answer.unread === undefined ? answer : undefined;
}
