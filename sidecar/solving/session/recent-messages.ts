/**
 * Selects the latest messages for prompts with a bounded context: the last user messages and the answers to them. Only messages of users
 * and stages count, never tool results (also those with role user) or corrections of the program. A call is never separated from its
 * results.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { isProgramMessage, isToolResult } from '../prompt/loop-messages.ts';

/** Returns the last `size` user messages and all messages after them, without system messages. */
export function recentMessages(all: readonly ChatMessage[], size: number): ChatMessage[] {
  const messages = all.filter(({ role }) => role !== 'system');
  return messages.slice(wholeFrom(messages, startOf(messages, size)));
}

/** Returns whether a message counts as a user message. */
export const isUserMessage = (message: ChatMessage): boolean =>
  message.role === 'user' &&
  message.tool_name === undefined &&
  message.tool_call_id === undefined &&
  !isToolResult(message) &&
  !isProgramMessage(message);

function startOf(messages: readonly ChatMessage[], size: number): number {
  let left = size;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message && isUserMessage(message) && --left === 0) return index;
  }
  return 0;
}

/** Returns the nearest start at or before `start` from which every result has its call. */
function wholeFrom(messages: readonly ChatMessage[], start: number): number {
  let from = start;
  for (let index = messages.length - 1; index >= from; index--) {
    const message = messages[index];
    if (message && isResult(message)) from = Math.min(from, callOf(messages, index));
  }
  return from;
}

const isResult = (message: ChatMessage): boolean =>
  isToolResult(message) || message.tool_call_id !== undefined || message.tool_name !== undefined;

/** Returns the index of the answer that made the call: by its id, else the last answer before the result. */
function callOf(messages: readonly ChatMessage[], result: number): number {
  const id = messages[result]?.tool_call_id;
  const before = messages.slice(0, result);
  const byId =
    id === undefined
      ? -1
      : before.findLastIndex(({ tool_calls }) => tool_calls?.some((call) => call.id === id));
  if (byId >= 0) return byId;
  const answer = before.findLastIndex(({ role }) => role === 'assistant');
  return answer >= 0 ? answer : result;
}
