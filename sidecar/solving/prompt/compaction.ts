/**
 * Fits a conversation into the model's window. At 75 % the oldest results become one line each, in one step down to below
 * 35 %, so that the server's prefix cache rarely breaks; if needed, rounds are folded into one message. The system prompt,
 * the user's messages (task, steps of a plan), the newest plan and the last rounds stay, and a call stays with its result.
 * Pure.
 */
import type { ChatMessage, ToolDefinition } from '../../model/chat.ts';
import { foldRounds, isPlan, joinRounds, survivorsOf, splitRounds, type Conversation } from './rounds.ts';
import { longestResult, shortenToLength, toOneLine } from './shortening.ts';
import type { TokenEstimator } from '../../model/token-estimate.ts';
import type { Outcome } from '../../base/values/outcome.ts';

/** Shares of the window. */
const COMPACT_AT_SHARE = 0.75;
/** Limit of the careful estimate while the likely one is below the threshold. */
const CAREFUL_SHARE = 0.85;
const COMPACT_TO_SHARE = 0.35;
/** Limit of the protected messages together; their longest results are shortened to fit. */
const PROTECTED_SHARE = 0.2;
const PROTECTED_ROUNDS = 3;
/** A protected result is never shortened below this. */
const MIN_RESULT_CHARS = 240;
/** Limits of lines for folded work, each about 40 tokens. */
const MAX_FOLDED_LINES = 40;
const WINDOW_TOKENS_PER_FOLDED_LINE = 640;

export interface CompactionOptions {
  /** The loaded window, in tokens. */
  windowTokens: number;
  estimator: TokenEstimator;
  /** Sent with each request, so they take up room, too. */
  tools?: readonly ToolDefinition[];
}

export interface CompactionResult {
  messages: ChatMessage[];
  /** Whether anything was shortened; if false, messages were only appended. */
  compacted: boolean;
  /** Estimate of the whole request, with tools. */
  estimatedTokens: number;
}

/**
 * Returns the messages of the next request, unchanged below the threshold. Call before each request. Fails with
 * `context_exhausted` if even the shortened conversation exceeds the threshold.
 */
export function compact(
  messages: readonly ChatMessage[],
  options: CompactionOptions,
): Outcome<CompactionResult> {
  const { windowTokens, estimator, tools } = options;
  const estimate = (list: readonly ChatMessage[]) => estimator.estimateRequest({ messages: list, tools });
  const limit = windowTokens * COMPACT_AT_SHARE;
  const before = estimate(messages);
  if (hasRoom(before, estimator.estimateLikely({ messages, tools }), windowTokens)) {
    return { ok: true, value: { messages: [...messages], compacted: false, estimatedTokens: before } };
  }

  const plan = messages.findLast(isPlan);
  const conversation = splitRounds(messages);
  conversation.head = conversation.head.map((message) => replaceOldPlan(message, plan));
  fitProtected(conversation, plan, estimator, windowTokens * PROTECTED_SHARE);
  const size = runningSize(estimate(joinRounds(conversation)), windowTokens * COMPACT_TO_SHARE, estimator);
  summariseOldest(conversation, plan, size);
  const maxLines = Math.min(MAX_FOLDED_LINES, Math.ceil(windowTokens / WINDOW_TOKENS_PER_FOLDED_LINE));
  foldOldest(conversation, { plan, size, maxLines });

  const shortened = joinRounds(conversation);
  const after = estimate(shortened);
  if (after < limit) {
    return { ok: true, value: { messages: shortened, compacted: true, estimatedTokens: after } };
  }
  return {
    ok: false,
    failure: {
      code: 'context_exhausted',
      message:
        `The conversation needs about ${after} tokens even when shortened, and the window has ${windowTokens}. ` +
        'Use a model with a larger window or a smaller task.',
    },
  };
}

/**
 * Whether a conversation may grow further. Uncounted messages are estimated high, and one result may be a tenth of a small
 * window: the likely estimate delays compaction by a round, and the careful one leaves room for the answer.
 */
const hasRoom = (careful: number, likely: number, windowTokens: number): boolean =>
  likely < windowTokens * COMPACT_AT_SHARE && careful < windowTokens * CAREFUL_SHARE;

/** Shortens the results of the last rounds, older ones first, because the model has not read the newest. */
function fitProtected(
  conversation: Conversation,
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
  const fixed = [...head, ...planBefore];
  const protectedRounds = () => rounds.slice(first);
  const fits = (candidate: ChatMessage[][]) =>
    estimator.estimateRequest({ messages: [...fixed, ...candidate.flat()] }) <= budgetTokens;

  const newest = protectedRounds().length - 1;
  for (const mayShorten of [(index: number) => index < newest, (index: number) => index === newest]) {
    if (fits(protectedRounds())) return;
    const shortenedTo = (maxChars: number) =>
      protectedRounds().map((round, index) =>
        mayShorten(index) ? round.map((message) => shortenToLength(message, maxChars)) : round,
      );
    const longest = Math.max(0, ...protectedRounds().flat().map(longestResult));
    const maxChars = largestThat(MIN_RESULT_CHARS, longest, (chars) => fits(shortenedTo(chars)));
    rounds.splice(first, rounds.length - first, ...shortenedTo(maxChars));
  }
}

/** Returns the largest number in the range that `fits`, or `low` if none does; `fits` must be monotonic. */
function largestThat(low: number, high: number, fits: (value: number) => boolean): number {
  let [from, to] = [low, Math.max(low, high)];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (fits(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Tracks the conversation's size while parts are replaced: recounting all for each part is quadratic. */
interface RunningSize {
  fits(): boolean;
  replace(before: readonly ChatMessage[], after: readonly ChatMessage[]): void;
}

function runningSize(startTokens: number, targetTokens: number, estimator: TokenEstimator): RunningSize {
  let tokens = startTokens;
  return {
    fits: () => tokens <= targetTokens,
    replace(before, after) {
      tokens +=
        estimator.estimateRequest({ messages: after }) - estimator.estimateRequest({ messages: before });
    },
  };
}

/** Shortens results to one line, oldest round first, until it fits; removes old thinking and replaced plans. */
function summariseOldest({ rounds }: Conversation, plan: ChatMessage | undefined, size: RunningSize): void {
  for (let index = 0; index < rounds.length - PROTECTED_ROUNDS && !size.fits(); index++) {
    const before = rounds[index] ?? [];
    const after = before.map((message) => dropThinking(replaceOldPlan(toOneLine(message), plan)));
    rounds[index] = after;
    size.replace(before, after);
  }
}

/** Folds whole rounds, oldest first, into the message of earlier work, until it fits. */
function foldOldest(
  conversation: Conversation,
  { plan, size, maxLines }: { plan: ChatMessage | undefined; size: RunningSize; maxLines: number },
): void {
  while (conversation.rounds.length > PROTECTED_ROUNDS && !size.fits()) {
    const round = conversation.rounds.shift() ?? [];
    const before = conversation.earlier;
    const earlier = foldRounds([round], { before, maxLines });
    const kept = survivorsOf(round, plan);
    conversation.earlier = earlier;
    conversation.head.push(...kept);
    size.replace([...round, ...(before ? [before] : [])], [...kept, earlier]);
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
