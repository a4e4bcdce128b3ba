/* The figures that run along with a task's events. */
import { isNumber, number } from './lenient.js';
/** @import { ExecutionStored, TaskStored } from '../page-types.ts' */

export class TimelineFigures {
  constructor() {
    this.iteration = 0;
    this.tokens = 0;
    /** @type {number | undefined} */
    this.costUsd = undefined;
    /** Of the attempts before the one that runs. */
    this.tokensBefore = 0;
    this.costBefore = 0;
    this.failures = 0;
    this.toolCalls = 0;
    this.drafts = 0;
    /** @type {string | undefined} */
    this.model = undefined;
  }

  /**
   * `used` is of all attempts, the figures so far are of the attempt that runs.
   * @param {ExecutionStored['body']} body
   */
  add({ used, tokens_so_far: tokens, cost_usd_so_far: cost, model }) {
    if (model) this.model = model;
    if (used && isNumber(tokens)) {
      this.tokensBefore = Math.max(0, number(used.tokens_in) + number(used.tokens_out) - tokens);
      this.costBefore = Math.max(0, number(used.cost_usd) - number(cost));
      // Work that goes on after a crash counts from what it had.
      [this.tokens, this.costUsd] = [0, undefined];
    }
    this.tokens = Math.max(this.tokens, this.tokensBefore + number(tokens));
    if (isNumber(cost)) this.costUsd = Math.max(this.costUsd ?? 0, this.costBefore + cost);
  }

  /** True where a later iteration begins than was known. @param {unknown} iteration */
  enter(iteration) {
    if (!isNumber(iteration) || !Number.isSafeInteger(iteration) || iteration <= this.iteration) return false;
    this.iteration = iteration;
    return true;
  }

  /** A call of a tool, or a draft, has begun. @param {{ isDraft?: boolean }} row */
  count({ isDraft }) {
    if (isDraft) this.drafts += 1;
    else this.toolCalls += 1;
  }

  /**
   * Rounds are those of the attempt that runs, tokens and cost those of all.
   * @param {TaskStored['body']} body
   */
  beginAttempt({ tokens_in: tokensIn, tokens_out: tokensOut, estimated_cost_usd: cost }) {
    this.iteration = 0;
    this.tokensBefore = number(tokensIn) + number(tokensOut);
    this.costBefore = number(cost);
    this.tokens = this.tokensBefore;
    this.costUsd = isNumber(cost) ? cost : undefined;
  }
}
