/**
 * Splits a conversation into rounds. A round is an answer of the model with all messages before the next answer, so a call and its results
 * are always in the same round.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { EARLIER_PREFIX, PLAN_PREFIX, isProgramMessage, isToolResult } from './loop-messages.ts';
import { clip } from '../../base/values/shortening.ts';
import { splitResults, removeNote } from './shortening.ts';

export interface RoundedConversation {
  /** All messages before the first answer: system prompt, task, first messages of the user. They always remain. */
  head: ChatMessage[];
  /** Summary of the rounds that earlier compactions removed. */
  earlierSummary?: ChatMessage;
  rounds: ChatMessage[][];
}

export function splitRounds(messages: readonly ChatMessage[]): RoundedConversation {
  const conversation: RoundedConversation = { head: [], rounds: [] };
  for (const message of messages) {
    const round = conversation.rounds.at(-1);
    if (message.role === 'assistant') conversation.rounds.push([message]);
    else if (round) round.push(message);
    else if (message.content.startsWith(EARLIER_PREFIX)) conversation.earlierSummary = message;
    else conversation.head.push(message);
  }
  return conversation;
}

export const joinRounds = ({ head, earlierSummary, rounds }: RoundedConversation): ChatMessage[] => [
  ...head,
  ...(earlierSummary ? [earlierSummary] : []),
  ...rounds.flat(),
];

const MAX_LINE_CHARS = 120;
const DROPPED_CALLS_LINE = /^- (\d+) calls before these$/;

/** Builds the message that replaces removed rounds. It lists the last `maxLines` calls. `before` is the message that it continues. */
export function summarizeRounds(
  rounds: readonly ChatMessage[][],
  { before, maxLines }: { before?: ChatMessage | undefined; maxLines: number },
): ChatMessage {
  const earlierLines = before?.content.split('\n').slice(1) ?? [];
  const droppedBefore = Number(DROPPED_CALLS_LINE.exec(earlierLines[0] ?? '')?.[1] ?? 0);
  const lines = [
    ...(droppedBefore > 0 ? earlierLines.slice(1) : earlierLines),
    ...rounds.flatMap(describeRound),
  ];
  const keptLines = lines.slice(-maxLines);
  const droppedCount = droppedBefore + lines.length - keptLines.length;
  const droppedLine = droppedCount > 0 ? [`- ${droppedCount} calls before these`] : [];
  return { role: 'user', content: [EARLIER_PREFIX, ...droppedLine, ...keptLines].join('\n') };
}

/** Returns the messages of a removed round that must remain: the user's messages, and the newest plan. */
export const listRetainedMessages = (
  round: readonly ChatMessage[],
  plan: ChatMessage | undefined,
): ChatMessage[] =>
  round.filter(
    (message) =>
      message === plan || (message.role === 'user' && !isToolResult(message) && !isProgramMessage(message)),
  );

export const isPlan = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && content.startsWith(PLAN_PREFIX);

/** Describes each call of a round on one line: its name, and the start of its arguments and of its result. */
function describeRound(round: readonly ChatMessage[]): string[] {
  const [answer, ...rest] = round;
  if (answer === undefined) return [];
  const calls = (answer.tool_calls ?? []).map(({ function: call }) => ({
    name: call.name,
    args: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  const results = rest.filter(isToolResult).flatMap(readResults);
  if (results.length === 0) {
    return answer.content.trim() === '' ? [] : [`- said: ${clip(answer.content, MAX_LINE_CHARS)}`];
  }
  const writtenCalls = calls.length > 0 ? calls : parseCallArguments(answer.content);
  return results.map(({ name, text }, index) => {
    const args = clip(writtenCalls[index]?.args ?? '', MAX_LINE_CHARS / 2);
    return `- ${name} ${args} → ${clip(removeNote(text), MAX_LINE_CHARS / 2)}`;
  });
}

function readResults(message: ChatMessage): { name: string; text: string }[] {
  if (message.role === 'tool') return [{ name: message.tool_name ?? 'tool', text: message.content }];
  return splitResults(message.content).map(({ header, text }) => ({
    name: header.split(' ')[1] ?? 'tool',
    text,
  }));
}

/** Returns the arguments of the calls in an answer of structured mode; none for other content. */
function parseCallArguments(content: string): { args: string }[] {
  try {
    const { tool_calls } = JSON.parse(content) as { tool_calls?: { parameters?: unknown }[] };
    if (!Array.isArray(tool_calls)) return [];
    return tool_calls.map((call) => ({ args: JSON.stringify(call?.parameters ?? {}) }));
  } catch {
    // The content is not a JSON object, so it has no calls.
    return [];
  }
}
