/**
 * How many drafts to ask for at once. Each slot of a server reads the question for itself, so that this helps only where
 * reading is cheap against writing: on a card, not on a processor. How many slots there are shows in whether an answer
 * waited for its turn: the time that it took against the time that the server worked on it.
 */

/** Reading may take so much of the time of writing. */
const CHEAP_READING_SHARE = 0.5;
/** An answer that waited for more of its time than this had no slot of its own. */
const QUEUED_SHARE = 0.4;
const MAX_AT_ONCE = 8;

/** What an answer cost, in milliseconds. `readMs`: reading the whole question, nothing of it cached. */
export interface AnswerTimes {
  tookMs: number;
  /** As the server counts them. */
  workedMs: number;
  readMs: number;
  writtenMs: number;
}

export class SideBySide {
  readonly #slots: () => number | undefined;
  #wanted = 1;
  #answers = 0;
  #isFirst = true;
  #isSettled = false;

  /** `slots`: how many the server has, where that is known by now. */
  constructor(slots: () => number | undefined) {
    this.#slots = slots;
  }

  /** Calls that may be under way together. */
  get wanted(): number {
    return this.#wanted;
  }

  get #most(): number {
    return this.#slots() ?? MAX_AT_ONCE;
  }

  /** An answer came while `wanted` were under way. */
  learn({ tookMs, workedMs, readMs, writtenMs }: AnswerTimes): void {
    if (this.#isSettled || this.#most === 1) return;
    const hadToWait = this.#wanted > 1 && tookMs - workedMs > tookMs * QUEUED_SHARE;
    // The first answer decides: it is a whole one, and a short diff is soon written wherever it is read.
    const isReadingDear = this.#isFirst && readMs > writtenMs * CHEAP_READING_SHARE;
    this.#isFirst = false;
    this.#isSettled = hadToWait || isReadingDear;
    if (hadToWait) this.#wanted /= 2;
    this.#answers += 1;
    if (this.#isSettled || this.#answers < this.#wanted) return;
    this.#answers = 0;
    this.#wanted = Math.min(this.#most, this.#wanted * 2);
    this.#isSettled = this.#wanted === this.#most;
  }
}
