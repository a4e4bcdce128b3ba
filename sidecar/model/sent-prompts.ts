/**
 * Compares a prompt with those sent before: its new part is what a timeline shows, what a log records and, unless the server
 * has lost its cache, what the server reads.
 */
import type { ChatMessage, ChatRequest } from './chat.ts';
import { memoize } from '../base/values/remembered.ts';
import { countSharedStart } from '../base/values/shared-ends.ts';

/** Maximum number of prompts; a server has few slots, and each holds one prompt. */
const MAX_PROMPTS = 16;

/** Returns how many leading messages of `now` are those of `before`. */
export function countSharedMessages(before: readonly ChatMessage[], now: readonly ChatMessage[]): number {
  const differs = now.findIndex((message, index) => !isSame(message, before[index]));
  return differs === -1 ? now.length : differs;
}

const isSame = (one: ChatMessage, other: ChatMessage | undefined): boolean =>
  one === other || (other !== undefined && textOf(one) === textOf(other));

/** Prompts that one server got for one task. */
export class SentPrompts {
  /** Prompts, each as the texts of its tools and its messages. */
  #prompts: (readonly string[])[] = [];

  /**
   * Adds a prompt that is sent. Returns its share, from 0 to 1, that no earlier prompt began with. A prompt that continues an
   * earlier one replaces it, so that a long conversation is compared with itself once.
   */
  add(request: Pick<ChatRequest, 'messages' | 'tools'>): number {
    const parts = partsOf(request);
    const earlier = this.#prompts.map((one) => ({ one, length: sharedLength(one, parts) }));
    const others = earlier.filter(({ one, length }) => length < lengthOf(one)).map(({ one }) => one);
    this.#prompts = [...others.slice(1 - MAX_PROMPTS), parts];
    return 1 - Math.max(0, ...earlier.map(({ length }) => length)) / lengthOf(parts);
  }
}

/** Caches the texts of messages and tools, which never change: a conversation is compared at every call. */
const textOf = memoize((part: object): string => JSON.stringify(part));

/** Tools precede the messages in the templates of most models. */
const partsOf = ({ messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>): string[] =>
  [tools, ...messages].map(textOf);

const lengthOf = (parts: readonly string[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function sharedLength(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((text, index) => text !== other[index]);
  if (differs === -1) return lengthOf(one);
  return lengthOf(one.slice(0, differs)) + countSharedStart(one[differs] ?? '', other[differs] ?? '');
}
