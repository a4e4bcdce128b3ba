/**
 * Selects the latest messages for prompts with a bounded context: the last user messages and the answers to them. Tool results (also those
 * with role `user`) and corrections of the program do not count as user messages. A call is never separated from its results.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { isProgramMessage, isToolResult } from '../prompt/loop-messages.ts';

/** Returns the last `size` user messages and all messages after the first of them, without system messages. */
export function selectRecentMessages(allMessages: readonly ChatMessage[], size: number): ChatMessage[] {
  const messages = allMessages.filter(({ role }) => role !== 'system');
  return messages.slice(moveBeforeCalls(messages, findStart(messages, size)));
}

/** Returns whether a message counts as a user message. */
export const isUserMessage = (message: ChatMessage): boolean =>
  message.role === 'user' &&
  message.tool_name === undefined &&
  message.tool_call_id === undefined &&
  !isToolResult(message) &&
  !isProgramMessage(message);

function findStart(messages: readonly ChatMessage[], size: number): number {
  let remaining = size;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message && isUserMessage(message) && --remaining === 0) return index;
  }
  return 0;
}

/** Returns the nearest index at or before `start` from which every result has its call. */
function moveBeforeCalls(messages: readonly ChatMessage[], start: number): number {
  let from = start;
  for (let index = messages.length - 1; index >= from; index--) {
    const message = messages[index];
    if (message && isToolMessage(message)) from = Math.min(from, findCall(messages, index));
  }
  return from;
}

const isToolMessage = (message: ChatMessage): boolean =>
  isToolResult(message) || message.tool_call_id !== undefined || message.tool_name !== undefined;

/** Returns the index of the answer that made the call: by the id of the call, or else the last answer before the result. */
function findCall(messages: readonly ChatMessage[], result: number): number {
  const id = messages[result]?.tool_call_id;
  const earlierMessages = messages.slice(0, result);
  const indexById =
    id === undefined
      ? -1
      : earlierMessages.findLastIndex(({ tool_calls }) => tool_calls?.some((call) => call.id === id));
  if (indexById >= 0) return indexById;
  const answer = earlierMessages.findLastIndex(({ role }) => role === 'assistant');
  return answer >= 0 ? answer : result;
}
