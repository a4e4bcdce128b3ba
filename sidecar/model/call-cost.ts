/**
 * The cost of model calls: counts and durations of every attempt, failed ones included. Sums only grow, so that a
 * ledger can settle the difference.
 */
import type { ChatOutcome } from './chat.ts';

/** Tokens and durations of one call, or sums of them. */
export interface CallCost {
  tokensIn: number;
  tokensOut: number;
  totalNs: number;
  loadNs: number;
  promptEvalNs: number;
  evalNs: number;
}

/**
 * The cost of model calls, summed over attempts. For a failed attempt only streamed tokens and wall time are known. The
 * wall time counts as generation if the server was working, so that timeouts use up a GPU budget, too.
 */
export interface AttemptCosts extends CallCost {
  attempts: number;
  /** Time for which the calls waited for a slot. */
  waitedMs: number;
  /** The part of `tokensIn` that was not in the server's cache. */
  readTokens: number;
}

/** Model time and tokens for the answers of a task. */
export interface ModelUse {
  readTokens: number;
  waitedMs: number;
  loadMs: number;
  readMs: number;
  writeMs: number;
}

/** Returns the model time and tokens of a cost. */
export const modelUseOf = ({
  readTokens,
  waitedMs,
  loadNs,
  promptEvalNs,
  evalNs,
}: AttemptCosts): ModelUse => ({
  readTokens,
  waitedMs,
  loadMs: loadNs / 1e6,
  readMs: promptEvalNs / 1e6,
  writeMs: evalNs / 1e6,
});

export const createZeroCost = (): AttemptCosts => ({
  attempts: 0,
  waitedMs: 0,
  readTokens: 0,
  tokensIn: 0,
  tokensOut: 0,
  totalNs: 0,
  loadNs: 0,
  promptEvalNs: 0,
  evalNs: 0,
});

/** Codes of failures that occur after the server began to work on a call. */
const WORKING_FAILURE_CODES = new Set([
  'model_timeout',
  'model_incomplete',
  'model_malformed_call',
  'model_reply_too_large',
  'aborted',
]);

/** Returns the cost of one attempt; `wallMs` replaces a missing duration. `waitedMs`: how long the call waited for a slot. */
export function costOf(outcome: ChatOutcome, wallMs: number, waitedMs = 0): AttemptCosts {
  const wallNs = Math.round(wallMs * 1e6);
  if (!outcome.ok) {
    const { code, partial } = outcome.failure;
    const evalNs = WORKING_FAILURE_CODES.has(code) ? wallNs : 0;
    return {
      ...createZeroCost(),
      attempts: 1,
      waitedMs,
      tokensOut: partial?.tokensOut ?? 0,
      totalNs: wallNs,
      evalNs,
    };
  }
  const { tokensIn, readTokens = tokensIn, tokensOut, totalNs, loadNs, promptEvalNs, evalNs } = outcome.value;
  return {
    attempts: 1,
    waitedMs,
    readTokens,
    tokensIn,
    tokensOut,
    totalNs: totalNs || wallNs,
    loadNs,
    promptEvalNs,
    evalNs,
  };
}

/** Adds `cost` to `sum`. */
export function addCost(sum: AttemptCosts, cost: AttemptCosts): void {
  for (const key of Object.keys(sum) as (keyof AttemptCosts)[]) sum[key] += cost[key];
}
