/*
 * The attempts at a task. If there are several, the first row of each becomes its heading: number, worker and ending.
 * The figures in it come from the task's detail.
 */
import { formatCount, formatUsd } from './format.js';
import { isNumber, numberOf } from './lenient.js';
/** @import { TimelineRow, TaskDetail, StoredTaskChange } from '../page-types.ts' */
/**
 * @typedef {TaskDetail['attempts'][number]} AttemptFacts
 * @typedef {{ generation: number, workerId: string, row: TimelineRow, ended?: string, isGood?: boolean | undefined, times?: number }} Attempt
 */

export class TimelineAttempts {
  constructor() {
    /** @type {Attempt[]} */
    this.list = [];
    /** The attempts in the task's detail. @type {readonly AttemptFacts[]} */
    this.knownAttempts = [];
    /** Index of the first row of the last attempt. */
    this.from = 0;
  }

  /** @param {StoredTaskChange['body']} body @param {TimelineRow} row @param {number} from */
  begin({ generation, worker_id: workerId }, row, from) {
    this.from = from;
    this.list.push({ generation, workerId: workerId ?? '', row });
    this.#draw();
  }

  /**
   * Ends the last attempt. `ended`: the ending in words; `isGood`: undefined if the attempt neither failed nor
   * finished.
   * @param {string} ended @param {boolean | undefined} isGood
   */
  end(ended, isGood) {
    const last = this.list.at(-1);
    if (!last || last.ended !== undefined) return;
    Object.assign(last, { ended, isGood });
    this.#draw();
  }

  /** Merges the last two attempts. Returns false if there is only one. */
  mergeLast() {
    const previous = this.list.at(-2);
    if (!previous) return false;
    this.list.pop();
    previous.times = (previous.times ?? 1) + 1;
    this.#draw();
    return true;
  }

  /** @param {readonly AttemptFacts[]} known */
  setKnown(known) {
    this.knownAttempts = known;
    this.#draw();
  }

  #draw() {
    if (this.list.reduce((sum, { times = 1 }) => sum + times, 0) < 2) return;
    let first = 1;
    for (const attempt of this.list) {
      const facts = this.knownAttempts.find(({ generation }) => generation === attempt.generation);
      const last = first + (attempt.times ?? 1) - 1;
      const label = last > first ? `Attempts ${first}–${last}` : `Attempt ${first}`;
      Object.assign(attempt.row, headingOf(attempt, facts), { label });
      attempt.row.version += 1;
      first = last + 1;
    }
  }
}

/** @param {Attempt} attempt @param {AttemptFacts | undefined} facts @returns {Partial<TimelineRow>} */
function headingOf({ workerId, ended = 'runs', isGood }, facts) {
  const tokens = numberOf(facts?.tokens_in) + numberOf(facts?.tokens_out);
  const tookMs = isNumber(facts?.ended_at) ? facts.ended_at - facts.started_at : undefined;
  return {
    type: 'attempt',
    args: [workerId, facts?.model].filter(Boolean).join(' · '),
    result: [ended, tokens > 0 ? `${formatCount(tokens)} tokens` : ''].filter(Boolean).join(' · '),
    success: isGood,
    durationMs: tookMs,
    facts: [
      ['Worker', workerId],
      ['Model', facts?.model ?? undefined],
      ['Iterations', facts?.iterations_used ?? undefined],
      ['Tokens read', facts?.tokens_in ?? undefined],
      ['Tokens written', facts?.tokens_out ?? undefined],
      ['Cost', isNumber(facts?.estimated_cost_usd) ? formatUsd(facts.estimated_cost_usd) : undefined],
      ['Ended', ended],
    ],
  };
}
