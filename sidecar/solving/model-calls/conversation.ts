/**
 * The messages between worker and model, in the server's format. Messages are only appended, so that the server's prefix cache remains
 * valid. Only compaction and a switch of the tool mode change earlier messages.
 */
import { isRecord } from '../../base/values/json.ts';
import type { ChatMessage, ChatReply, ToolDefinition } from '../../model/chat.ts';
import { buildStructuredSchema } from '../../model/structured.ts';
import type { ParsedAnswer } from '../../parsing/answers/parsed-answer.ts';
import { buildAnswerMessage, buildResultMessages } from '../prompt/loop-messages.ts';
import { buildSystemPrompt, type ToolMode } from '../prompt/system-prompt.ts';
import type { ToolCallResult } from '../../tools/types.ts';

/** A call in an answer. `id`: assigned by the server, if at all, and repeated with the result. */
export interface AnswerCall {
  id?: string;
  name: string;
  arguments: unknown;
  /** Whether the call was repaired, or its values were converted to other types. */
  repaired?: boolean;
}

export interface ConversationOptions {
  mode: ToolMode;
  definitions: readonly ToolDefinition[];
  /** Additional system text for the model, from the model catalogue. */
  extraPrompt?: string;
  /** Whether the structured answer has a third branch for questions to users. */
  offersApproval?: boolean;
  /** Built-in tools that are not offered. */
  missingTools?: readonly string[];
  /** JSON Schema of the answer, if no tools are offered. */
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

  /** Creates a conversation without tools: one question, and a system prompt if one is given. */
  static createPlain(
    firstMessage: string,
    { system, format }: { system?: string; format?: object } = {},
  ): Conversation {
    const conversation = new Conversation({ mode: 'text', definitions: [], format }, firstMessage);
    conversation.#messages.shift();
    if (system !== undefined) conversation.#messages.unshift({ role: 'system', content: system });
    return conversation;
  }

  /** Copies a conversation. Messages that are added to the copy do not change the original, or vice versa. */
  static copy(other: Conversation): Conversation {
    const conversation = new Conversation(other.#options, '');
    conversation.#mode = other.#mode;
    conversation.#messages = [...other.#messages];
    return conversation;
  }

  get mode(): ToolMode {
    return this.#mode;
  }

  /** Whether the model may ask a user. */
  get offersApproval(): boolean {
    return this.#options.offersApproval ?? false;
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
    return { messages: this.#messages, format: this.#answerSchema() };
  }

  /**
   * Appends the model's answer: unchanged, or in native mode with the calls of its text as native calls. If the answer has too many calls,
   * only the calls that run are appended, since the text of all of them would fill the window.
   */
  addAnswer(reply: ChatReply, parsed: ParsedAnswer): void {
    const { content, thinking } = reply.message;
    const calls = parsed.type === 'tool_calls' ? parsed.calls.map(toRequestCall) : [];
    // An empty answer would only confuse the chat template.
    if (!content && !thinking && calls.length === 0) return;
    const isFromText = calls.length > 0 && parsed.type === 'tool_calls' && parsed.layer !== 'native';
    const isNative = this.#mode === 'native';
    const shortened =
      parsed.type === 'tool_calls' && parsed.hasMore && !isNative ? formatCalls(calls) : content;
    const text = isFromText && isNative ? (parsed.content ?? '') : shortened;
    this.#messages.push(buildAnswerMessage({ mode: this.#mode, content: text, thinking, calls }));
  }

  /** Appends one result for each call, in order. */
  addResults(calls: readonly AnswerCall[], results: readonly ToolCallResult[]): void {
    const resultsWithIds = results.map((result, index) => ({ ...result, callId: calls[index]?.id }));
    this.#messages.push(...buildResultMessages(resultsWithIds, this.#mode));
  }

  /** Appends a message from the worker or from a user. */
  add(message: ChatMessage): void {
    this.#messages.push(message);
  }

  /** Replaces the messages with their compacted form. This invalidates the server's cached prefix once. */
  replaceMessages(messages: ChatMessage[]): void {
    this.#messages = messages;
  }

  /** Switches to another mode and rewrites the system prompt, which lists the tools in structured mode. */
  switchMode(mode: ToolMode): void {
    this.#mode = mode;
    this.#messages[0] = this.#systemMessage();
  }

  #systemMessage(): ChatMessage {
    const { definitions, extraPrompt: extra, offersApproval, missingTools } = this.#options;
    const mode = this.#mode;
    const content = buildSystemPrompt({ mode, definitions, extra, offersApproval, missingTools });
    return { role: 'system', content };
  }

  #answerSchema(): object {
    const { definitions, offersApproval } = this.#options;
    this.#schema ??= buildStructuredSchema(definitions, { approval: offersApproval });
    return this.#schema;
  }
}

/** Formats calls as text, in the form that the prompt asks for. */
const formatCalls = (calls: readonly { name: string; arguments: unknown }[]): string =>
  JSON.stringify({ tool_calls: calls.map((call) => ({ name: call.name, parameters: call.arguments })) });

/** Converts a call to the form of a request. Arguments that are not an object become an empty object. */
function toRequestCall(call: AnswerCall) {
  const args = isRecord(call.arguments) ? call.arguments : {};
  return { ...(call.id ? { id: call.id } : {}), name: call.name, arguments: args };
}
