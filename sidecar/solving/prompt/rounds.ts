/**
 * Splits a conversation into rounds: an answer of the model with everything up to the next answer. A call and its results
 * are always in the same round.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { EARLIER_PREFIX, PLAN_PREFIX, isProgramMessage, isToolResult } from './loop-messages.ts';
import { clip } from '../../base/values/shortening.ts';
import { splitResults, removeNote } from './shortening.ts';

export interface Conversation {
  /** Everything before the first answer: system prompt, task, first messages of the user. Always stays. */
  head: ChatMessage[];
  /** The summary of rounds that an earlier compaction folded. */
  earlier?: ChatMessage;
  rounds: ChatMessage[][];
}

export function splitRounds(messages: readonly ChatMessage[]): Conversation {
  const conversation: Conversation = { head: [], rounds: [] };
  for (const message of messages) {
    const round = conversation.rounds.at(-1);
    if (message.role === 'assistant') conversation.rounds.push([message]);
    else if (round) round.push(message);
    else if (message.content.startsWith(EARLIER_PREFIX)) conversation.earlier = message;
    else conversation.head.push(message);
  }
  return conversation;
}

export const joinRounds = ({ head, earlier, rounds }: Conversation): ChatMessage[] => [
  ...head,
  ...(earlier ? [earlier] : []),
  ...rounds.flat(),
];

const LINE_CHARS = 120;
const DROPPED_LINE = /^- (\d+) calls before these$/;

/** Builds the message that replaces folded rounds, with their last `maxLines` calls; `before` is the previous one. */
export function foldRounds(
  rounds: readonly ChatMessage[][],
  { before, maxLines }: { before?: ChatMessage | undefined; maxLines: number },
): ChatMessage {
  const old = before?.content.split('\n').slice(1) ?? [];
  const dropped = Number(DROPPED_LINE.exec(old[0] ?? '')?.[1] ?? 0);
  const lines = [...(dropped > 0 ? old.slice(1) : old), ...rounds.flatMap(describeRound)];
  const kept = lines.slice(-maxLines);
  const gone = dropped + lines.length - kept.length;
  const first = gone > 0 ? [`- ${gone} calls before these`] : [];
  return { role: 'user', content: [EARLIER_PREFIX, ...first, ...kept].join('\n') };
}

/** Returns messages that must survive a fold: the user's, and the newest plan. */
export const survivorsOf = (round: readonly ChatMessage[], plan: ChatMessage | undefined): ChatMessage[] =>
  round.filter(
    (message) =>
      message === plan || (message.role === 'user' && !isToolResult(message) && !isProgramMessage(message)),
  );

export const isPlan = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && content.startsWith(PLAN_PREFIX);

/** Describes each call of a round in a line: its name, the start of its arguments and of its result. */
function describeRound(round: readonly ChatMessage[]): string[] {
  const [answer, ...rest] = round;
  if (answer === undefined) return [];
  const calls = (answer.tool_calls ?? []).map(({ function: call }) => ({
    name: call.name,
    args: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  const results = rest.filter(isToolResult).flatMap(resultTexts);
  if (results.length === 0) {
    return answer.content.trim() === '' ? [] : [`- said: ${clip(answer.content, LINE_CHARS)}`];
  }
  const written = calls.length > 0 ? calls : callsInContent(answer.content);
  return results.map(({ name, text }, index) => {
    const args = clip(written[index]?.args ?? '', LINE_CHARS / 2);
    return `- ${name} ${args} → ${clip(removeNote(text), LINE_CHARS / 2)}`;
  });
}

function resultTexts(message: ChatMessage): { name: string; text: string }[] {
  if (message.role === 'tool') return [{ name: message.tool_name ?? 'tool', text: message.content }];
  return splitResults(message.content).map(({ mark, text }) => ({
    name: mark.split(' ')[1] ?? 'tool',
    text,
  }));
}

/** Returns the arguments of calls in the JSON of structured mode; none for other content. */
function callsInContent(content: string): { args: string }[] {
  try {
    const { tool_calls } = JSON.parse(content) as { tool_calls?: { parameters?: unknown }[] };
    if (!Array.isArray(tool_calls)) return [];
    return tool_calls.map((call) => ({ args: JSON.stringify(call?.parameters ?? {}) }));
  } catch {
    // Other text has no arguments to show.
    return [];
  }
}
