/**
 * Notices when a server dropped part of a prompt without saying so: it counted far
 * fewer tokens than were sent, and what was sent would not have fitted. Learns characters per token from answers.
 */
import type { ChatRequest } from './chat.ts';
import { remembered } from '../values/remembered.ts';

/** The parts of a request that become tokens. */
type Prompt = Pick<ChatRequest, 'messages' | 'tools'>;

/** Mean for code and English, before anything was learned. */
const DEFAULT_CHARS_PER_TOKEN = 3.5;
/** A count below this part of what was expected is not a bad estimate any more. */
const SUSPICIOUS_PART = 0.75;
/** Below this part of the window nothing is dropped. */
const NEARLY_FULL = 0.9;

export class PromptMeter {
  #charsPerToken = DEFAULT_CHARS_PER_TOKEN;

  /** The tokens of the prompt, where the server saw less than was sent. Learns from the count when it did not. */
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

/** Sizes of what never changes once it was said; a conversation is measured at every call. */
const jsonSize = remembered((value: object): number => JSON.stringify(value).length);

/** Characters of text that the server turns into tokens; the frame around messages hardly counts. */
function promptChars({ messages, tools }: Prompt): number {
  const said = messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? jsonSize(calls) : 0),
    0,
  );
  return said + (tools ? jsonSize(tools) : 0);
}
