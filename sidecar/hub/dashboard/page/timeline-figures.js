/* The figures of a task, updated by its events. */
import { isNumber, numberOf } from './lenient.js';
/** @import { StoredExecution, StoredTaskChange } from '../page-types.ts' */

export class TimelineFigures {
  constructor() {
    this.iteration = 0;
    this.tokens = 0;
    /** @type {number | undefined} */
    this.costUsd = undefined;
    /** Tokens of the earlier attempts. */
    this.tokensBefore = 0;
    /** Cost of the earlier attempts. */
    this.costBefore = 0;
    this.failures = 0;
    this.toolCalls = 0;
    this.drafts = 0;
    /** @type {string | undefined} */
    this.model = undefined;
  }

  /**
   * Adds an event: `used` covers all attempts; the figures so far cover only the current attempt.
   * @param {StoredExecution['body']} body
   */
  add({ used, tokens_so_far: tokens, cost_usd_so_far: cost, model }) {
    if (model) this.model = model;
    if (used && isNumber(tokens)) {
      this.tokensBefore = Math.max(0, numberOf(used.tokens_in) + numberOf(used.tokens_out) - tokens);
      this.costBefore = Math.max(0, numberOf(used.cost_usd) - numberOf(cost));
      // Work that is resumed after a crash continues its count of tokens.
      [this.tokens, this.costUsd] = [0, undefined];
    }
    this.tokens = Math.max(this.tokens, this.tokensBefore + numberOf(tokens));
    if (isNumber(cost)) this.costUsd = Math.max(this.costUsd ?? 0, this.costBefore + cost);
  }

  /** Records an iteration; returns true if it is later than the last recorded one. @param {unknown} iteration */
  enter(iteration) {
    if (!isNumber(iteration) || !Number.isSafeInteger(iteration) || iteration <= this.iteration) return false;
    this.iteration = iteration;
    return true;
  }

  /** Counts a tool call or a draft. @param {{ isDraft?: boolean }} row */
  count({ isDraft }) {
    if (isDraft) this.drafts += 1;
    else this.toolCalls += 1;
  }

  /** Starts an attempt: iterations count from zero, tokens and cost continue. @param {StoredTaskChange['body']} body */
  beginAttempt({ tokens_in: tokensIn, tokens_out: tokensOut, estimated_cost_usd: cost }) {
    this.iteration = 0;
    this.tokensBefore = numberOf(tokensIn) + numberOf(tokensOut);
    this.costBefore = numberOf(cost);
    this.tokens = this.tokensBefore;
    this.costUsd = isNumber(cost) ? cost : undefined;
  }
}
