/** Computes the maximum length of a brief. Pure. */

/** Share of the window; the rest is for the task, the answer and further messages. */
const WINDOW_SHARE = 0.25;
/** Tokens per second that a processor of two cores reads; used until a rate is measured. */
const DEFAULT_PREFILL_TOKENS_PER_SECOND = 120;
/**
 * Minimum for slow servers: with fewer tokens the files to change are mere outlines, and no draft of a small model passes (measured
 * with 400 tokens on a busy processor).
 */
const MIN_TOKENS = 1_600;
/** Maximum for large windows: more text only distracts. */
const MAX_TOKENS = 24_000;

export interface BriefBudget {
  windowTokens: number;
  /** The measured rate of this server; see `ReadingSpeeds`. */
  prefillTokensPerSecond?: number;
  /** Maximum time of reading the brief (`brief.seconds`). */
  seconds: number;
}

/** Returns the budget of the brief: at most a quarter of the window, and at most what the server reads in `seconds`. */
export function briefBudgetTokens({ windowTokens, prefillTokensPerSecond, seconds }: BriefBudget): number {
  const rate = prefillTokensPerSecond ?? DEFAULT_PREFILL_TOKENS_PER_SECOND;
  const share = Math.floor(windowTokens * WINDOW_SHARE);
  const inTime = Math.max(MIN_TOKENS, Math.floor(rate * seconds));
  return Math.max(0, Math.min(share, inTime, MAX_TOKENS));
}
