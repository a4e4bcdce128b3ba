/**
 * Fits a conversation into the model's window. At 75 % of the window, the oldest results are shortened to one line each, until less than 35
 * % is used. One large step invalidates the server's prefix cache less often than many small ones. If needed, rounds are summarized in one
 * message. The system prompt, the user's messages (task, steps of a plan), the newest plan and the last rounds remain. A call is never
 * separated from its result. Pure.
 */
import type { ChatMessage, ToolDefinition } from '../../model/chat.ts';
import {
  summarizeRounds,
  isPlan,
  joinRounds,
  listRetainedMessages,
  splitRounds,
  type RoundedConversation,
} from './rounds.ts';
import { measureLongestResult, shortenToLength, shortenToOneLine } from './shortening.ts';
import type { TokenEstimator } from '../../model/token-estimate.ts';
import type { Outcome } from '../../base/values/outcome.ts';

/** Share of the window at which compaction starts. */
const COMPACT_AT_SHARE = 0.75;
/** Share of the window that the careful estimate may reach while the likely estimate is below the threshold. */
const CAUTIOUS_LIMIT_SHARE = 0.85;
/** Share of the window to which compaction reduces the conversation. */
const COMPACT_TO_SHARE = 0.35;
/** Share of the window for all protected messages together. Their longest results are shortened to fit. */
const PROTECTED_SHARE = 0.2;
const PROTECTED_ROUNDS = 3;
/** Minimum length to which a protected result is shortened. */
const MIN_RESULT_CHARS = 240;
/** Maximum number of lines in the summary of earlier rounds. A line has about 40 tokens. */
const MAX_SUMMARY_LINES = 40;
/** Number of window tokens for each line of the summary of earlier rounds; a small window gets fewer lines. */
const WINDOW_TOKENS_PER_SUMMARY_LINE = 640;

export interface CompactionOptions {
  /** The loaded window, in tokens. */
  windowTokens: number;
  estimator: TokenEstimator;
  /** Tools of the request; they use a part of the window, too. */
  tools?: readonly ToolDefinition[];
}

export interface CompactionResult {
  messages: ChatMessage[];
  /** Whether a message was shortened. If not, the messages are unchanged. */
  isCompacted: boolean;
  /** Estimated tokens of the whole request, including the tools. */
  estimatedTokens: number;
}

/**
 * Returns the messages of the next request; below the threshold they are unchanged. Must be called before each request. Fails with
 * `context_exhausted` if even the shortened conversation exceeds the threshold.
 */
export function compactConversation(
  messages: readonly ChatMessage[],
  options: CompactionOptions,
): Outcome<CompactionResult> {
  const { windowTokens, estimator, tools } = options;
  const estimate = (list: readonly ChatMessage[]) => estimator.estimateRequest({ messages: list, tools });
  const limit = windowTokens * COMPACT_AT_SHARE;
  const tokensBefore = estimate(messages);
  if (hasSpace(tokensBefore, estimator.estimateWithoutMargin({ messages, tools }), windowTokens)) {
    return {
      ok: true,
      value: { messages: [...messages], isCompacted: false, estimatedTokens: tokensBefore },
    };
  }

  const plan = messages.findLast(isPlan);
  const conversation = splitRounds(messages);
  conversation.head = conversation.head.map((message) => replaceOldPlan(message, plan));
  fitProtected(conversation, plan, estimator, windowTokens * PROTECTED_SHARE);
  const size = trackSize(estimate(joinRounds(conversation)), windowTokens * COMPACT_TO_SHARE, estimator);
  shortenOldestResults(conversation, plan, size);
  const maxLines = Math.min(MAX_SUMMARY_LINES, Math.ceil(windowTokens / WINDOW_TOKENS_PER_SUMMARY_LINE));
  summarizeOldestRounds(conversation, { plan, size, maxLines });

  const shortened = joinRounds(conversation);
  const tokensAfter = estimate(shortened);
  if (tokensAfter < limit) {
    return { ok: true, value: { messages: shortened, isCompacted: true, estimatedTokens: tokensAfter } };
  }
  return {
    ok: false,
    failure: {
      code: 'context_exhausted',
      message:
        `The conversation needs about ${tokensAfter} tokens even when shortened, and the window has ${windowTokens}. ` +
        'Use a model with a larger window or a smaller task.',
    },
  };
}

/**
 * Returns whether a conversation may grow further. Messages that the server has not counted yet are estimated high, and one result may fill
 * a tenth of a small window. The likely estimate therefore delays compaction by a round, and the careful estimate leaves space for the
 * answer.
 */
const hasSpace = (careful: number, likely: number, windowTokens: number): boolean =>
  likely < windowTokens * COMPACT_AT_SHARE && careful < windowTokens * CAUTIOUS_LIMIT_SHARE;

/** Shortens the results of the last rounds until they fit, older ones first, since the model has not read the newest results yet. */
function fitProtected(
  conversation: RoundedConversation,
  plan: ChatMessage | undefined,
  estimator: TokenEstimator,
  budgetTokens: number,
): void {
  const { head, rounds } = conversation;
  const first = Math.max(0, rounds.length - PROTECTED_ROUNDS);
  const planBefore = rounds
    .slice(0, first)
    .flat()
    .filter((message) => message === plan);
  const fixedMessages = [...head, ...planBefore];
  const listProtectedRounds = () => rounds.slice(first);
  const isFitting = (candidate: ChatMessage[][]) =>
    estimator.estimateRequest({ messages: [...fixedMessages, ...candidate.flat()] }) <= budgetTokens;

  const newestIndex = listProtectedRounds().length - 1;
  for (const mayShorten of [
    (index: number) => index < newestIndex,
    (index: number) => index === newestIndex,
  ]) {
    if (isFitting(listProtectedRounds())) return;
    const shortenTo = (maxChars: number) =>
      listProtectedRounds().map((round, index) =>
        mayShorten(index) ? round.map((message) => shortenToLength(message, maxChars)) : round,
      );
    const longestChars = Math.max(0, ...listProtectedRounds().flat().map(measureLongestResult));
    const maxChars = findLargest(MIN_RESULT_CHARS, longestChars, (chars) => isFitting(shortenTo(chars)));
    rounds.splice(first, rounds.length - first, ...shortenTo(maxChars));
  }
}

/** Returns the largest number in the range for which `fits` returns true, or `low` if there is none. `fits` must be monotonic. */
function findLargest(low: number, high: number, fits: (value: number) => boolean): number {
  let [from, to] = [low, Math.max(low, high)];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (fits(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/**
 * Tracks the estimated size of the conversation while parts are replaced, since estimating the whole conversation for each part would take
 * quadratic time.
 */
interface RunningSize {
  fits(): boolean;
  replace(before: readonly ChatMessage[], after: readonly ChatMessage[]): void;
}

function trackSize(startTokens: number, targetTokens: number, estimator: TokenEstimator): RunningSize {
  let tokens = startTokens;
  return {
    fits: () => tokens <= targetTokens,
    replace(before, after) {
      tokens +=
        estimator.estimateRequest({ messages: after }) - estimator.estimateRequest({ messages: before });
    },
  };
}

/** Shortens the results to one line, oldest round first, until the conversation fits. Also removes old thinking and old plans. */
function shortenOldestResults(
  { rounds }: RoundedConversation,
  plan: ChatMessage | undefined,
  size: RunningSize,
): void {
  for (let index = 0; index < rounds.length - PROTECTED_ROUNDS && !size.fits(); index++) {
    const before = rounds[index] ?? [];
    const after = before.map((message) => dropThinking(replaceOldPlan(shortenToOneLine(message), plan)));
    rounds[index] = after;
    size.replace(before, after);
  }
}

/** Summarizes whole rounds, oldest first, in the message of earlier work, until the conversation fits. */
function summarizeOldestRounds(
  conversation: RoundedConversation,
  { plan, size, maxLines }: { plan: ChatMessage | undefined; size: RunningSize; maxLines: number },
): void {
  while (conversation.rounds.length > PROTECTED_ROUNDS && !size.fits()) {
    const round = conversation.rounds.shift() ?? [];
    const before = conversation.earlierSummary;
    const earlier = summarizeRounds([round], { before, maxLines });
    const survivors = listRetainedMessages(round, plan);
    conversation.earlierSummary = earlier;
    conversation.head.push(...survivors);
    size.replace([...round, ...(before ? [before] : [])], [...survivors, earlier]);
  }
}

function replaceOldPlan(message: ChatMessage, plan: ChatMessage | undefined): ChatMessage {
  if (!isPlan(message) || message === plan) return message;
  return { ...message, content: 'Plan document: an older version stood here.' };
}

function dropThinking(message: ChatMessage): ChatMessage {
  if (message.thinking === undefined) return message;
  const { thinking: _old, ...rest } = message;
  return rest;
}
