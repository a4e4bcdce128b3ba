/** Computes the maximum length of a brief. Pure. */

/** Share of the window for the brief. The rest is for the task, the answer and further messages. */
const WINDOW_SHARE = 0.25;
/** Number of prompt tokens that a processor with two cores reads per second. Used until a rate is measured. */
const DEFAULT_PREFILL_TOKENS_PER_SECOND = 120;
/**
 * Minimum for slow servers. With fewer tokens, the files to change are mere outlines, and no draft of a small model passes (measured with
 * 400 tokens on a busy processor).
 */
const MIN_TOKENS = 1_600;
/** Maximum for large windows, since more text distracts the model. */
const MAX_TOKENS = 24_000;

export interface BriefBudget {
  windowTokens: number;
  /** Measured rate of this server; see `ReadingSpeeds`. */
  prefillTokensPerSecond?: number;
  /** Maximum time for reading the brief (`brief.seconds`). */
  seconds: number;
}

/**
 * Returns the maximum number of tokens of a brief: at most a quarter of the window, and at most the tokens that the server reads in
 * `seconds`.
 */
export function computeBriefBudget({ windowTokens, prefillTokensPerSecond, seconds }: BriefBudget): number {
  const rate = prefillTokensPerSecond ?? DEFAULT_PREFILL_TOKENS_PER_SECOND;
  const windowTokensShare = Math.floor(windowTokens * WINDOW_SHARE);
  const readableTokens = Math.max(MIN_TOKENS, Math.floor(rate * seconds));
  return Math.max(0, Math.min(windowTokensShare, readableTokens, MAX_TOKENS));
}
