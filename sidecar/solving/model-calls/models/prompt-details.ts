/** Details of a call on the timeline: the new part of its prompt. */
import type { ChatMessage } from '../../../model/chat.ts';
import { countSharedMessages } from '../../../model/sent-prompts.ts';
import type { EventDetail } from '../../../base/protocol/events.ts';

export class PromptDetails {
  /** Prompt of the previous call. */
  #asked: readonly ChatMessage[] = [];

  /** Returns the messages that follow the common beginning with the last prompt. */
  next(messages: readonly ChatMessage[]): EventDetail[] {
    const known = countSharedMessages(this.#asked, messages);
    // A copy, since the conversation appends to its list.
    this.#asked = [...messages];
    const fresh = messages.slice(known).map(detailOf);
    return known === 0 ? fresh : [{ title: 'Prompt', text: knownText(known, fresh.length) }, ...fresh];
  }
}

function knownText(known: number, fresh: number): string {
  if (fresh === 0) return 'The same as in the call before.';
  return `As in the call before up to message ${known}, then:`;
}

const detailOf = (message: ChatMessage): EventDetail => ({
  title: `Prompt: ${titleOf(message)}`,
  text: textOf(message),
});

function titleOf({ role, tool_name: tool }: ChatMessage): string {
  if (role === 'tool') return tool === undefined ? 'result of a tool' : `result of ${tool}`;
  return role === 'assistant' ? 'answer of the model' : role;
}

const textOf = ({ content, tool_calls: calls = [] }: ChatMessage): string =>
  [content, ...calls.map(({ function: { name, arguments: given } }) => `${name} ${inJson(given)}`)]
    .filter((part) => part !== '')
    .join('\n');

const inJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
