/**
 * The prompts that a model was asked in a task. A server may still have what a prompt has in common with an earlier one, and
 * then reads only the rest.
 */
import type { ModelRequest } from './conversation.ts';

/** A server has few slots, and each keeps one prompt. */
const MAX_PROMPTS = 16;

export class SentPrompts {
  #texts: string[] = [];

  /**
   * Takes up a prompt that is sent, and gives the share of it, from 0 to 1, that no earlier one began with. A prompt that goes
   * on where an earlier one ended takes its place, so that a long conversation is compared with itself once.
   */
  add(request: ModelRequest): number {
    const text = textOf(request);
    const earlier = this.#texts.map((one) => ({ one, length: sharedLength(one, text) }));
    const others = earlier.filter(({ one, length }) => length < one.length).map(({ one }) => one);
    this.#texts = [...others.slice(1 - MAX_PROMPTS), text];
    return 1 - Math.max(0, ...earlier.map(({ length }) => length)) / text.length;
  }
}

/** Tools stand before the messages in the templates of most models. Without its last brackets, so that it can go on. */
const textOf = ({ messages, tools = [] }: ModelRequest): string =>
  JSON.stringify([tools, messages]).slice(0, -2);

/** Found by halves: comparing slices takes a fraction of the time of comparing characters. */
function sharedLength(a: string, b: string): number {
  let [same, most] = [0, Math.min(a.length, b.length)];
  while (same < most) {
    const middle = Math.ceil((same + most) / 2);
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else most = middle - 1;
  }
  return same;
}
