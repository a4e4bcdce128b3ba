/**
 * Compares a prompt with those sent before. Only its new part is shown on a timeline, recorded in a log and, unless the
 * server has lost its cache, read by the server.
 */
import type { ChatMessage, ChatRequest } from './chat.ts';
import { memoize } from '../base/values/memoize.ts';
import { countSharedStart } from '../base/values/shared-ends.ts';

/** Maximum number of prompts; a server has few slots, and each holds one prompt. */
const MAX_PROMPTS = 16;

/** Returns the number of messages at the start of `current` that are equal to those of `earlier`. */
export function countSharedMessages(
  earlier: readonly ChatMessage[],
  current: readonly ChatMessage[],
): number {
  const firstDifference = current.findIndex((message, index) => !isSame(message, earlier[index]));
  return firstDifference === -1 ? current.length : firstDifference;
}

const isSame = (first: ChatMessage, second: ChatMessage | undefined): boolean =>
  first === second || (second !== undefined && textOf(first) === textOf(second));

/** Prompts that one server got for one task. */
export class SentPrompts {
  /** Prompts, each as the texts of its tools and its messages. */
  #prompts: (readonly string[])[] = [];

  /**
   * Adds a prompt. Returns the new share of it, from 0 to 1: the part after the longest beginning that it has in common
   * with an earlier prompt. A prompt that continues an earlier one replaces that one, so a long conversation is
   * compared only once.
   */
  add(request: Pick<ChatRequest, 'messages' | 'tools'>): number {
    const parts = partsOf(request);
    const comparisons = this.#prompts.map((prompt) => ({
      prompt,
      length: measureSharedLength(prompt, parts),
    }));
    const unrelated = comparisons
      .filter(({ prompt, length }) => length < lengthOf(prompt))
      .map(({ prompt }) => prompt);
    this.#prompts = [...unrelated.slice(1 - MAX_PROMPTS), parts];
    return 1 - Math.max(0, ...comparisons.map(({ length }) => length)) / lengthOf(parts);
  }
}

/** Caches the texts of messages and tools, which never change: a conversation is compared at every call. */
const textOf = memoize((part: object): string => JSON.stringify(part));

/** Tools precede the messages in the templates of most models. */
const partsOf = ({ messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>): string[] =>
  [tools, ...messages].map(textOf);

const lengthOf = (parts: readonly string[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function measureSharedLength(first: readonly string[], second: readonly string[]): number {
  const firstDifference = first.findIndex((text, index) => text !== second[index]);
  if (firstDifference === -1) return lengthOf(first);
  return (
    lengthOf(first.slice(0, firstDifference)) +
    countSharedStart(first[firstDifference] ?? '', second[firstDifference] ?? '')
  );
}
