/**
 * The latest messages, for prompts with a bounded context: the last user messages
 * with the agent's answers. Only what a user or a stage said is counted, never a tool's result (also where it
 * has role user) and never the program's own reminders; a call is never cut from its results.
 */
import type { ChatMessage } from '../../model/chat.ts';
import { isProgramMessage, isToolResult } from '../prompt/loop-messages.ts';

/** The last `size` user messages and all that followed each of them; system messages are left out. */
export function recentMessages(all: readonly ChatMessage[], size: number): ChatMessage[] {
  const messages = all.filter(({ role }) => role !== 'system');
  return messages.slice(wholeFrom(messages, startOf(messages, size)));
}

/** Whether the message is one that the size counts. */
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

/** The nearest start at or before `start` from which on no result is without its call. */
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

/** Where the answer stands that made the call: the one with its id, else the last one before. */
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
