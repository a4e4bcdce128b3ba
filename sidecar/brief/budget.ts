/** How long a brief may be. Pure. */

/** Share of the window; the rest is for the task, the answer and what follows. */
const WINDOW_SHARE = 0.25;
/** Tokens that a processor of two cores reads in a second, while nothing was measured. */
const DEFAULT_PREFILL_TOKENS_PER_SECOND = 120;
/**
 * However slow the server: with less the files that are to be changed are outlines, and no draft of a small model passes
 * (seen with 400 tokens on a busy processor).
 */
const MIN_TOKENS = 1_600;
/** More than this only distracts, however large the window is. */
const MAX_TOKENS = 24_000;

export interface BriefBudget {
  windowTokens: number;
  /** As learned from this server; see `ReadingSpeeds`. */
  prefillTokensPerSecond?: number;
  /** How long reading the brief may take (`brief.seconds`). */
  seconds: number;
}

/** At most a quarter of the window, and at most what the server reads in `seconds`. */
export function briefBudgetTokens({ windowTokens, prefillTokensPerSecond, seconds }: BriefBudget): number {
  const rate = prefillTokensPerSecond ?? DEFAULT_PREFILL_TOKENS_PER_SECOND;
  const share = Math.floor(windowTokens * WINDOW_SHARE);
  const inTime = Math.max(MIN_TOKENS, Math.floor(rate * seconds));
  return Math.max(0, Math.min(share, inTime, MAX_TOKENS));
}
