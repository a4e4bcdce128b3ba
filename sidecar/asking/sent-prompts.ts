/**
 * The prompts that a model was asked in a task. A server may still have what a prompt has in common with an earlier one, and
 * then reads only the rest.
 */
import type { ModelRequest } from './conversation.ts';

/** A server has few slots, and each keeps one prompt. */
const MAX_PROMPTS = 16;

export class SentPrompts {
  #texts: string[] = [];

  /** Takes up a prompt that is sent, and gives the share of it, from 0 to 1, that no earlier one began with. */
  add(request: ModelRequest): number {
    const text = textOf(request);
    const shared = Math.max(0, ...this.#texts.map((earlier) => sharedLength(earlier, text)));
    this.#texts = [...this.#texts.slice(1 - MAX_PROMPTS), text];
    return text === '' ? 0 : 1 - shared / text.length;
  }
}

/** Tools stand before the messages in the templates of most models. */
const textOf = ({ messages, tools = [] }: ModelRequest): string => JSON.stringify([tools, messages]);

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
