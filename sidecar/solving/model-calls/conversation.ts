/**
 * The messages between worker and model, as the server wants them.
 * Messages are only ever appended, so that the server's prefix cache holds; the two exceptions, compaction and a
 * switch of the tool mode, are explicit.
 */
import { isRecord } from '../../base/values/json.ts';
import type { ChatMessage, ChatReply, ToolDefinition } from '../../model/chat.ts';
import { structuredSchema } from '../../model/structured.ts';
import type { ParsedAnswer } from '../../parsing/answers/result.ts';
import { answerMessage, resultMessages } from '../prompt/loop-messages.ts';
import { buildSystemPrompt, type ToolMode } from '../prompt/system-prompt.ts';
import type { ToolCallResult } from '../../tools/types.ts';

/** A call as the answer gave it. `id` is the server's own; without one the result carries none either. */
export interface AnswerCall {
  id?: string;
  name: string;
  arguments: unknown;
  /** It was mended, or its values were brought into other types. */
  repaired?: boolean;
}

export interface ConversationOptions {
  mode: ToolMode;
  definitions: readonly ToolDefinition[];
  /** The catalogue's extra system text of the model. */
  extraPrompt?: string;
  /** A third branch of the structured answer, if a user may be asked. */
  approval?: boolean;
  /** Built-in tools that are not offered. */
  missing?: readonly string[];
  /** JSON Schema that the answer has to follow, if no tools are offered. */
  format?: object;
}

/** A conversation as a request to the server. */
export interface ModelRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  format?: object;
}

export class Conversation {
  readonly #options: ConversationOptions;
  #mode: ToolMode;
  #messages: ChatMessage[];
  #schema: object | undefined;

  constructor(options: ConversationOptions, firstMessage: string) {
    this.#options = options;
    this.#mode = options.mode;
    this.#messages = [this.#systemMessage(), { role: 'user', content: firstMessage }];
  }

  /** A conversation without tools: one question, and a system prompt of its own if one is given. */
  static plain(
    firstMessage: string,
    { system, format }: { system?: string; format?: object } = {},
  ): Conversation {
    const conversation = new Conversation({ mode: 'text', definitions: [], format }, firstMessage);
    conversation.#messages.shift();
    if (system !== undefined) conversation.#messages.unshift({ role: 'system', content: system });
    return conversation;
  }

  /** The same so far; what is added to one is not in the other. */
  static copyOf(other: Conversation): Conversation {
    const conversation = new Conversation(other.#options, '');
    conversation.#mode = other.#mode;
    conversation.#messages = [...other.#messages];
    return conversation;
  }

  get mode(): ToolMode {
    return this.#mode;
  }

  /** Whether the model may ask a user. */
  get approval(): boolean {
    return this.#options.approval ?? false;
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  get definitions(): readonly ToolDefinition[] {
    return this.#options.definitions;
  }

  /** The parts of a request that depend on the mode. `format` and `tools` are never sent together. */
  get request(): ModelRequest {
    if (this.#mode === 'native') return { messages: this.#messages, tools: this.definitions };
    if (this.#mode === 'text') {
      const { format } = this.#options;
      return { messages: this.#messages, ...(format && { format }) };
    }
    return { messages: this.#messages, format: this.#format() };
  }

  /**
   * Appends the model's answer: word for word, or in native mode with the calls found in its text as calls. Of too many
   * calls only those that are run stay: the text of all would fill the window.
   */
  addAnswer(reply: ChatReply, parsed: ParsedAnswer): void {
    const { content, thinking } = reply.message;
    const calls = parsed.type === 'tool_calls' ? parsed.calls.map(replayable) : [];
    // An answer without anything in it would only confuse the chat template.
    if (!content && !thinking && calls.length === 0) return;
    const foundInText = calls.length > 0 && parsed.type === 'tool_calls' && parsed.layer !== 'native';
    const isNative = this.#mode === 'native';
    const shortened = parsed.type === 'tool_calls' && parsed.hasMore && !isNative ? asText(calls) : content;
    const text = foundInText && isNative ? (parsed.content ?? '') : shortened;
    this.#messages.push(answerMessage({ mode: this.#mode, content: text, thinking, calls }));
  }

  /** Appends one result for each call, in order. */
  addResults(calls: readonly AnswerCall[], results: readonly ToolCallResult[]): void {
    const forModel = results.map((result, index) => ({ ...result, callId: calls[index]?.id }));
    this.#messages.push(...resultMessages(forModel, this.#mode));
  }

  /** Appends a message of the worker or of a user. */
  add(message: ChatMessage): void {
    this.#messages.push(message);
  }

  /** Replaces the messages with their compacted form; breaks the prefix once. */
  replaceMessages(messages: ChatMessage[]): void {
    this.#messages = messages;
  }

  /** Goes on in another mode: the tools move from the request into the system prompt. */
  switchMode(mode: ToolMode): void {
    this.#mode = mode;
    this.#messages[0] = this.#systemMessage();
  }

  #systemMessage(): ChatMessage {
    const { definitions, extraPrompt: extra, approval, missing } = this.#options;
    const mode = this.#mode;
    const content = buildSystemPrompt({ mode, definitions, extra, approval, missing });
    return { role: 'system', content };
  }

  #format(): object {
    const { definitions, approval } = this.#options;
    this.#schema ??= structuredSchema(definitions, { approval });
    return this.#schema;
  }
}

/** Calls as the prompt asks for them where they are part of the text. */
const asText = (calls: readonly { name: string; arguments: unknown }[]): string =>
  JSON.stringify({ tool_calls: calls.map((call) => ({ name: call.name, parameters: call.arguments })) });

/** A call as it is replayed; arguments that never were an object go back as none. */
function replayable(call: AnswerCall) {
  const args = isRecord(call.arguments) ? call.arguments : {};
  return { ...(call.id ? { id: call.id } : {}), name: call.name, arguments: args };
}
