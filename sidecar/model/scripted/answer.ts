/**
 * Builds the wire format of a reply: Ollama's stream pieces, or one object. Pure. Counts imitate a real server: characters
 * divided by four, durations from a fixed speed.
 */
import { isRecord, parseJson } from '../../base/values/json.ts';
import { hasTools, countPromptChars } from './conversation.ts';
import type { ChatBody } from './conversation.ts';
import type { ScriptRule, Scenario, ScriptedReply, ScriptedToolCall, ScriptTurn } from './scenario.ts';

const CHARS_PER_TOKEN = 4;
const NS_PER_SECOND = 1e9;

export interface AnswerCounts {
  tokensIn: number;
  /** The tokens of `tokensIn` that were not cached. Default: all. */
  readTokens?: number;
  tokensOut: number;
  loadNs: number;
}

/**
 * Counts an answer's tokens. A prompt longer than the window is silently cut to half of the window, as by real servers.
 */
export function countTokens(
  turn: ScriptTurn | ScriptRule,
  body: ChatBody,
  reply: ScriptedReply,
  windowTokens: number,
) {
  const promptTokens = turn.tokensIn ?? Math.ceil(countPromptChars(body) / CHARS_PER_TOKEN);
  const replyText =
    reply.content + (reply.thinking ?? '') + (reply.tool_calls ? JSON.stringify(reply.tool_calls) : '');
  return {
    promptTokens,
    windowTokens,
    tokensIn: promptTokens > windowTokens ? Math.floor(windowTokens / 2) : promptTokens,
    tokensOut: turn.tokensOut ?? Math.max(1, Math.ceil(replyText.length / CHARS_PER_TOKEN)),
  };
}

/** Adapts the reply to the request: without `tools` a call becomes JSON in the content, as a grammar would force. */
export function shapeReply(scriptedReply: ScriptedReply, body: ChatBody): ScriptedReply {
  // As by a real server: no thinking unless requested.
  const reply = body.think === false ? { ...scriptedReply, thinking: undefined } : scriptedReply;
  if (reply.verbatim || hasTools(body)) return reply;
  if (reply.tool_calls?.length) {
    const calls = reply.tool_calls.map(({ name, arguments: args }) => ({ name, parameters: args }));
    return { ...reply, tool_calls: undefined, content: JSON.stringify({ tool_calls: calls }) };
  }
  if (body.format === undefined || isRecord(parseJson(reply.content))) return reply;
  return { ...reply, content: JSON.stringify({ response: reply.content }) };
}

const toWireCall = ({ id, name, arguments: args }: ScriptedToolCall) => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: args },
});

/** Returns the pieces of a stream, without the last one. */
export function chunksOf(reply: ScriptedReply, model: string): object[] {
  const buildPiece = (message: object) => ({
    ...buildAnswerHead(model),
    message: { role: 'assistant', ...message },
    done: false,
  });
  return [
    ...splitWords(reply.thinking ?? '').map((thinking) => buildPiece({ content: '', thinking })),
    ...splitWords(reply.content).map((content) => buildPiece({ content })),
    ...(reply.tool_calls ?? []).map((call) => buildPiece({ content: '', tool_calls: [toWireCall(call)] })),
  ];
}

/** Renders a request and its answer as a template would, so that the next request begins with both. */
export const renderExchange = (body: ChatBody, reply: ScriptedReply): { prompt: string; answer: string } => ({
  prompt: (hasTools(body) ? JSON.stringify(body.tools) : '') + body.messages.map(renderMessage).join(''),
  answer: renderMessage({
    role: 'assistant',
    content: reply.content,
    ...(reply.tool_calls?.length && { tool_calls: reply.tool_calls.map(toWireCall) }),
  }),
});

const renderMessage = ({ role, content, tool_calls: calls = [] }: ChatBody['messages'][number]): string =>
  `<${role}>${content}${calls.map(({ function: calledFunction }) => JSON.stringify(calledFunction)).join('')}`;

/** Returns the single object of a request without streaming. */
export const buildWholeAnswer = (reply: ScriptedReply, model: string): object => ({
  ...buildAnswerHead(model),
  message: {
    role: 'assistant',
    content: reply.content,
    ...(reply.thinking ? { thinking: reply.thinking } : {}),
    ...(reply.tool_calls?.length ? { tool_calls: reply.tool_calls.map(toWireCall) } : {}),
  },
});

/** Returns the last piece: `done` and the counts. Zero values are omitted, as by Ollama. */
export function buildFinalPart(doneReason: string, counts: AnswerCounts, speed: Scenario['speed']): object {
  const promptNs = ((counts.readTokens ?? counts.tokensIn) / speed.promptTokensPerSecond) * NS_PER_SECOND;
  const evalNs = (counts.tokensOut / speed.tokensPerSecond) * NS_PER_SECOND;
  const numbers = {
    total_duration: counts.loadNs + promptNs + evalNs,
    load_duration: counts.loadNs,
    prompt_eval_count: counts.tokensIn,
    prompt_eval_duration: promptNs,
    eval_count: counts.tokensOut,
    eval_duration: evalNs,
  };
  const nonZero = Object.entries(numbers).filter(([, value]) => value > 0);
  return {
    done: true,
    done_reason: doneReason,
    ...Object.fromEntries(nonZero.map(([key, value]) => [key, Math.round(value)])),
  };
}

export const buildAnswerHead = (model: string) => ({ model, created_at: new Date().toISOString() });

/** Splits a text into words with their white space, like tokens. */
const splitWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];
