/** Describes a call's prompt for the timeline: only the part that is new since the previous call. */
import type { ChatMessage } from '../../../model/chat.ts';
import { countSharedMessages } from '../../../model/sent-prompts.ts';
import type { EventDetail } from '../../../base/protocol/events.ts';

export class PromptDetails {
  /** Prompt of the previous call. */
  #previousPrompt: readonly ChatMessage[] = [];

  /** Returns the messages after the part that is equal to the previous prompt. */
  describeNew(messages: readonly ChatMessage[]): EventDetail[] {
    const sharedCount = countSharedMessages(this.#previousPrompt, messages);
    // A copy, since the conversation appends to its list.
    this.#previousPrompt = [...messages];
    const newDetails = messages.slice(sharedCount).map(detailOf);
    return sharedCount === 0
      ? newDetails
      : [{ title: 'Prompt', text: describeShared(sharedCount, newDetails.length) }, ...newDetails];
  }
}

function describeShared(sharedCount: number, newCount: number): string {
  if (newCount === 0) return 'Same as in the previous call.';
  return `Same as in the previous call up to message ${sharedCount}, then:`;
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
  [content, ...calls.map(({ function: { name, arguments: args } }) => `${name} ${toJson(args)}`)]
    .filter((part) => part !== '')
    .join('\n');

const toJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
