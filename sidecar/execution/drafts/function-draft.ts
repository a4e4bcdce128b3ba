/**
 * A function draft: one function is named, and the model writes it anew. The answer is begun with the head of the function,
 * so that it says no cause, costs little and cannot be about another place.
 */
import { languageOf } from '../../definitions/index.ts';
import type { ChatReply } from '../../model/chat.ts';
import type { SuspectFunction } from './suspects.ts';

/** The answer ends with its block. */
export const FUNCTION_STOPS = ['```'];

/** Tokens of an answer: of new code for twice as much, and a few lines more. */
export const maxFunctionTokens = ({ text }: SuspectFunction): number => 150 + Math.ceil(text.length / 2);

/** The answer as it is begun for the model. */
export function begunFunction({ path, head, text }: SuspectFunction): string {
  // A body on lines of its own begins with the indentation that the model writes itself.
  const isBlock = /^\s*\n/u.test(text.slice(head.trimEnd().length));
  return `\`\`\`${languageOf(path) ?? ''}\n${isBlock ? `${head.trimEnd()}\n` : head}`;
}

/** The reply as one that wrote all of it; one that was cut off leaves its block open. */
export function wholeFunction(at: SuspectFunction, reply: ChatReply): ChatReply {
  const { message, doneReason } = reply;
  const end = doneReason === 'length' ? '' : '\n```\n';
  const content = `${begunFunction(at)}${message.content.trimEnd()}${end}`;
  return { ...reply, message: { ...message, content } };
}
