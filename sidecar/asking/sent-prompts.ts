/**
 * The prompts that a model was asked in a task. A server may still have what a prompt has in common with an earlier one, and
 * then reads only the rest.
 */
import { remembered } from '../values/remembered.ts';
import { sharedStart } from '../values/shared-ends.ts';
import type { ModelRequest } from './conversation.ts';

/** A server has few slots, and each keeps one prompt. */
const MAX_PROMPTS = 16;

export class SentPrompts {
  /** Each as the texts of its tools and its messages. */
  #prompts: (readonly string[])[] = [];

  /**
   * Takes up a prompt that is sent, and gives the share of it, from 0 to 1, that no earlier one began with. A prompt that goes
   * on where an earlier one ended takes its place, so that a long conversation is compared with itself once.
   */
  add(request: ModelRequest): number {
    const parts = partsOf(request);
    const earlier = this.#prompts.map((one) => ({ one, length: sharedLength(one, parts) }));
    const others = earlier.filter(({ one, length }) => length < lengthOf(one)).map(({ one }) => one);
    this.#prompts = [...others.slice(1 - MAX_PROMPTS), parts];
    return 1 - Math.max(0, ...earlier.map(({ length }) => length)) / lengthOf(parts);
  }
}

/** Texts of what never changes once it was said; a conversation is compared at every call. */
const textOf = remembered((part: object): string => JSON.stringify(part));

/** Tools stand before the messages in the templates of most models. */
const partsOf = ({ messages, tools = [] }: ModelRequest): string[] => [tools, ...messages].map(textOf);

const lengthOf = (parts: readonly string[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function sharedLength(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((text, index) => text !== other[index]);
  if (differs === -1) return lengthOf(one);
  return lengthOf(one.slice(0, differs)) + sharedStart(one[differs] ?? '', other[differs] ?? '');
}
