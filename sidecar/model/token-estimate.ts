/**
 * Estimates tokens from text by a ratio learned from the server's counts, separately per task and model. Text without a
 * count is estimated high: an overrun loses the front of the prompt, and a tool result may have far more tokens per
 * character than the counted text.
 */
import type { ChatMessage, ToolDefinition } from './chat.ts';
import { memoize } from '../base/values/memoize.ts';

/** Weighted characters per token before anything is learned; code in common tokenizers has 3 to 4. */
export const DEFAULT_CHARS_PER_TOKEN = 3;
/** Minimum credible ratio of weighted characters per token. */
const MIN_CHARS_PER_TOKEN = 1;
/** Maximum credible ratio; above it, the prompt was truncated, or only its uncached part was counted. */
const MAX_CHARS_PER_TOKEN = 5.5;
/** Weighted characters that the chat template adds to a message. */
const MESSAGE_OVERHEAD = 16;
/** Weight of a digit, which is often one token. */
const DIGIT_WEIGHT = 2;
/** Weight of a character of other scripts, which have one or two characters per token. */
const OTHER_SCRIPT_WEIGHT = 3;

/** The parts of one request that cost tokens. */
interface EstimatedRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
}

export interface TokenEstimator {
  /** Weighted characters per token, as last learned. */
  readonly charsPerToken: number;
  estimateText(text: string): number;
  estimateRequest(request: EstimatedRequest): number;
  /** Estimates by the learned ratio alone, without a margin for denser text. */
  estimateWithoutMargin(request: EstimatedRequest): number;
  /** Learns from the server's count (`prompt_eval_count`) of a complete request. Implausible counts are ignored. */
  learn(request: EstimatedRequest, promptTokens: number): void;
}

/** Creates an estimator; `charsPerToken` may come from an earlier task with the same model. */
export function createTokenEstimator({ charsPerToken = DEFAULT_CHARS_PER_TOKEN } = {}): TokenEstimator {
  let ratio = clampRatio(charsPerToken);
  const weighMessageOnce = memoize(weighMessage);
  const weighToolsOnce = memoize((tools: object) => weighText(JSON.stringify(tools)));
  const weighTools = (tools: EstimatedRequest['tools']) => (tools?.length ? weighToolsOnce(tools) : 0);
  const countedMessages = new WeakSet<ChatMessage>();
  const getCautiousRatio = () => Math.min(ratio, DEFAULT_CHARS_PER_TOKEN);
  const tokensOf = (message: ChatMessage) =>
    weighMessageOnce(message) / (countedMessages.has(message) ? ratio : getCautiousRatio());
  const sum = (messages: readonly ChatMessage[], measure: (message: ChatMessage) => number) =>
    messages.reduce((total, message) => total + measure(message), 0);

  return {
    get charsPerToken() {
      return ratio;
    },
    estimateText: (text) => Math.ceil(weighText(text) / getCautiousRatio()),
    estimateRequest: ({ messages, tools }) => Math.ceil(sum(messages, tokensOf) + weighTools(tools) / ratio),
    estimateWithoutMargin: ({ messages, tools }) =>
      Math.ceil((sum(messages, weighMessageOnce) + weighTools(tools)) / ratio),
    learn({ messages, tools }, promptTokens) {
      const measuredRatio = (sum(messages, weighMessageOnce) + weighTools(tools)) / promptTokens;
      if (!(measuredRatio >= MIN_CHARS_PER_TOKEN && measuredRatio <= MAX_CHARS_PER_TOKEN)) return;
      ratio = measuredRatio;
      for (const message of messages) countedMessages.add(message);
    },
  };
}

const clampRatio = (ratio: number) => Math.min(MAX_CHARS_PER_TOKEN, Math.max(MIN_CHARS_PER_TOKEN, ratio));

function weighMessage({ content, thinking, tool_calls, tool_name }: ChatMessage): number {
  return (
    MESSAGE_OVERHEAD +
    weighText(content) +
    weighText(thinking ?? '') +
    weighText(tool_name ?? '') +
    (tool_calls?.length ? weighText(JSON.stringify(tool_calls)) : 0)
  );
}

function weighText(text: string): number {
  let weight = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) weight += OTHER_SCRIPT_WEIGHT;
    else weight += code >= 0x30 && code <= 0x39 ? DIGIT_WEIGHT : 1;
  }
  return weight;
}
