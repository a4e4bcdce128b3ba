/**
 * A function draft: one function is named, and the model writes it, anew or for the first time. The answer is begun with the
 * head of the function, so that it says no cause, costs little and cannot be about another place.
 */
import { languageOf } from '../../definitions/index.ts';
import type { ChatReply } from '../../model/chat.ts';
import type { NewFunction } from './new-functions.ts';
import { asFunction, asNewFunction } from './question.ts';
import type { SuspectFunction } from './suspects.ts';

/** The answer ends with its block. */
export const FUNCTION_STOPS = ['```'];

/** Of a function that nobody has written yet. */
const MAX_NEW_TOKENS = 500;

/** One function that the model is asked for. */
export interface FunctionRequest {
  name: string;
  path: string;
  /** The question that ends with what is wanted. */
  asked: (question: string) => string;
  /** The answer as it is begun for the model. */
  begun: string;
  maxTokens: number;
  /** The task speaks of it by its name. */
  isNamed: boolean;
  /** The answer names its file, which may be a new one. */
  isNew?: true;
}

/** Of new code for twice as much as there is, and a few lines more. */
export const rewritten = (at: SuspectFunction): FunctionRequest => ({
  name: at.name,
  path: at.path,
  asked: (question) => asFunction(question, at),
  begun: begunFunction(at),
  maxTokens: 150 + Math.ceil(at.text.length / 2),
  isNamed: at.isNamed,
});

export function written({ path, name, head }: NewFunction): FunctionRequest {
  const language = languageOf(path) ?? '';
  const mark = language === 'python' ? '#' : '//';
  return {
    name,
    path,
    asked: (question) => asNewFunction(question, { name, path }),
    begun: `\`\`\`${language}\n${mark} ${path}\n${head}`,
    maxTokens: MAX_NEW_TOKENS,
    isNamed: true,
    isNew: true,
  };
}

/** The answer as it is begun for the model. */
function begunFunction({ path, head, text }: SuspectFunction): string {
  // A body on lines of its own begins with the indentation that the model writes itself.
  const isBlock = /^\s*\n/u.test(text.slice(head.trimEnd().length));
  return `\`\`\`${languageOf(path) ?? ''}\n${isBlock ? `${head.trimEnd()}\n` : head}`;
}

/** The reply as one that wrote all of it; one that was cut off leaves its block open. */
export function wholeFunction({ begun }: FunctionRequest, reply: ChatReply): ChatReply {
  const { message, doneReason } = reply;
  const end = doneReason === 'length' ? '' : '\n```\n';
  const content = `${begun}${message.content.trimEnd()}${end}`;
  return { ...reply, message: { ...message, content } };
}
