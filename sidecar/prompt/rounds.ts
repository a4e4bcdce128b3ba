/**
 * A conversation seen as rounds: an answer of the model with all that follows it until the next answer. A call
 * and its results are always in one round, so whoever treats rounds as wholes never cuts between them.
 */
import type { ChatMessage } from '../model/chat.ts';
import { EARLIER_PREFIX, PLAN_PREFIX, isProgramMessage, isToolResult } from './loop-messages.ts';
import { clip } from '../values/shortening.ts';
import { splitResults, withoutNote } from './shortening.ts';

export interface Conversation {
  /** All before the first answer: system prompt, task, what a person said first. Stays. */
  head: ChatMessage[];
  /** The summary into which an earlier compaction folded rounds. */
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
const DROPPED = /^- (\d+) calls before these$/;

/** The message that stands for folded rounds, the last `maxLines` calls of them; `before` is what an earlier fold left. */
export function foldRounds(
  rounds: readonly ChatMessage[][],
  { before, maxLines }: { before?: ChatMessage | undefined; maxLines: number },
): ChatMessage {
  const old = before?.content.split('\n').slice(1) ?? [];
  const dropped = Number(DROPPED.exec(old[0] ?? '')?.[1] ?? 0);
  const lines = [...(dropped > 0 ? old.slice(1) : old), ...rounds.flatMap(describeRound)];
  const kept = lines.slice(-maxLines);
  const gone = dropped + lines.length - kept.length;
  const first = gone > 0 ? [`- ${gone} calls before these`] : [];
  return { role: 'user', content: [EARLIER_PREFIX, ...first, ...kept].join('\n') };
}

/** Messages that must outlive a fold: those of a person, and the newest plan. */
export const keptOfRound = (round: readonly ChatMessage[], plan: ChatMessage | undefined): ChatMessage[] =>
  round.filter(
    (message) =>
      message === plan || (message.role === 'user' && !isToolResult(message) && !isProgramMessage(message)),
  );

export const isPlan = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && content.startsWith(PLAN_PREFIX);

/** A line for each call of a round: its name, the start of its arguments and of its result. */
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
    return `- ${name} ${args} → ${clip(withoutNote(text), LINE_CHARS / 2)}`;
  });
}

function resultTexts(message: ChatMessage): { name: string; text: string }[] {
  if (message.role === 'tool') return [{ name: message.tool_name ?? 'tool', text: message.content }];
  return splitResults(message.content).map(({ mark, text }) => ({
    name: mark.split(' ')[1] ?? 'tool',
    text,
  }));
}

/** Arguments of calls that structured mode wrote as JSON; none where the content is something else. */
function callsInContent(content: string): { args: string }[] {
  try {
    const { tool_calls } = JSON.parse(content) as { tool_calls?: { parameters?: unknown }[] };
    if (!Array.isArray(tool_calls)) return [];
    return tool_calls.map((call) => ({ args: JSON.stringify(call?.parameters ?? {}) }));
  } catch {
    // Text that is not JSON holds no arguments that could be shown.
    return [];
  }
}
