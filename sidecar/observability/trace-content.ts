/**
 * What a trace shows of prompts, answers and tool calls where the operator has asked for it
 * (`observability.otlpCaptureContent`): masked first and cut afterwards, so that no half of a secret is left.
 * Shapes are those of the GenAI conventions, as JSON text.
 */
import type { ChatMessage, ChatReply } from '../model/chat.ts';
import type { SecretMasker } from './secrets.ts';

/** Limit of one text, in characters; its middle is left out past that. */
const MAX_TEXT_CHARS = 8_192;
/** Limit of all messages of one call, in characters; the oldest are left out past that. */
const MAX_MESSAGES_CHARS = 32_768;

export interface TraceContent {
  /** `gen_ai.input.messages`: the newest ones that fit. */
  input(messages: readonly ChatMessage[]): string;
  /** `gen_ai.output.messages`. */
  output(reply: ChatReply): string;
  /** Any value as text: arguments, results, reasons. */
  text(value: unknown): string;
}

type Part = Record<string, unknown>;

export function createTraceContent({ mask }: Pick<SecretMasker, 'mask'>): TraceContent {
  const text = (value: unknown): string =>
    shorten(mask(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
  return {
    text,
    input(messages) {
      const kept: string[] = [];
      let chars = 0;
      for (const message of messages.toReversed()) {
        const json = JSON.stringify({ role: message.role, parts: partsOf(message, text) });
        chars += json.length;
        if (chars > MAX_MESSAGES_CHARS) break;
        kept.unshift(json);
      }
      return `[${kept.join(',')}]`;
    },
    output({ message, doneReason }) {
      const parts = partsOf({ ...message, role: 'assistant' }, text);
      return JSON.stringify([{ role: 'assistant', parts, finish_reason: doneReason }]);
    },
  };
}

function partsOf(message: ChatMessage, text: (value: unknown) => string): Part[] {
  const { role, content, thinking, tool_calls: calls = [], tool_call_id: id } = message;
  if (role === 'tool') return [{ type: 'tool_call_response', ...(id && { id }), response: text(content) }];
  return [
    ...(thinking ? [{ type: 'reasoning', content: text(thinking) }] : []),
    ...(content ? [{ type: 'text', content: text(content) }] : []),
    ...calls.map(({ id: callId, function: call }) => ({
      type: 'tool_call',
      ...(callId && { id: callId }),
      name: call.name,
      arguments: text(call.arguments),
    })),
  ];
}

function shorten(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const half = MAX_TEXT_CHARS / 2;
  const left = text.length - MAX_TEXT_CHARS;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
}
