/**
 * Detects that a server silently dropped part of a prompt: it counted far fewer tokens than were sent, and the prompt
 * did not fit. Learns characters per token from answers.
 */
import type { ChatRequest } from './chat.ts';
import { remembered } from '../values/remembered.ts';

/** The parts of a request that become tokens. */
type Prompt = Pick<ChatRequest, 'messages' | 'tools'>;

/** Mean for code and English, before anything is learned. */
const DEFAULT_CHARS_PER_TOKEN = 3.5;
/** A lower share of the expected count is no estimation error. */
const SUSPICIOUS_PART = 0.75;
/** Below this share of the window nothing is dropped. */
const NEARLY_FULL = 0.9;

export class PromptMeter {
  #charsPerToken = DEFAULT_CHARS_PER_TOKEN;

  /** Returns the estimated tokens of the prompt if the server dropped a part; else learns from the count. */
  dropped(prompt: Prompt, tokensIn: number, windowTokens: number): number | undefined {
    if (tokensIn === 0) return undefined;
    const chars = promptChars(prompt);
    const expectedTokens = Math.round(chars / this.#charsPerToken);
    if (expectedTokens >= NEARLY_FULL * windowTokens && tokensIn <= SUSPICIOUS_PART * expectedTokens)
      return expectedTokens;
    this.#charsPerToken = Math.max(1, chars / tokensIn);
    return undefined;
  }
}

/** Caches sizes of immutable objects: a conversation is measured at every call. */
const jsonSize = remembered((value: object): number => JSON.stringify(value).length);

/** Counts the characters that the server turns into tokens; the frame around messages is negligible. */
function promptChars({ messages, tools }: Prompt): number {
  const said = messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? jsonSize(calls) : 0),
    0,
  );
  return said + (tools ? jsonSize(tools) : 0);
}
