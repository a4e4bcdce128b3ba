/**
 * How many drafts to ask for at once. Each slot of a server reads the question for itself, so that this helps only where
 * reading is cheap against writing: on a card, not on a processor. How many slots there are shows in whether an answer
 * waited for its turn: the time that it took against the time that the server worked on it. Slots may also slow each other
 * down until all of them write no more than one alone, so what is written together has to grow with them.
 */

/** Reading may take so much of the time of writing. */
const CHEAP_READING_SHARE = 0.5;
/** An answer that waited for more of its time than this had no slot of its own. */
const QUEUED_SHARE = 0.4;
/** A higher number at once is kept only where all together write so many times as much as the lower number did. */
const WORTHWHILE_GAIN = 1.1;
const MAX_AT_ONCE = 8;

/** What an answer cost, in milliseconds. `readMs`: reading the whole question, nothing of it cached. */
export interface AnswerTimes {
  tookMs: number;
  /** As the server counts them. */
  workedMs: number;
  readMs: number;
  writtenMs: number;
  /** Without a meaning where `writtenMs` is zero: the server counted nothing then. */
  writtenTokens: number;
}

export class SideBySide {
  readonly #slots: () => number | undefined;
  #wanted = 1;
  /** What `wanted` was before it was raised last. */
  #narrower = 1;
  /** Tokens a millisecond that all together wrote then; undefined where nobody counted. */
  #narrowerRate: number | undefined;
  /** From the answers since `wanted` was raised last. */
  #learned = { answers: 0, tokens: 0, ms: 0 };
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
  learn({ tookMs, workedMs, readMs, writtenMs, writtenTokens }: AnswerTimes): void {
    if (this.#isSettled || this.#most === 1) return;
    const hadToWait = this.#wanted > 1 && tookMs - workedMs > tookMs * QUEUED_SHARE;
    // The first answer decides: it is a whole one, and a short diff is soon written wherever it is read.
    const isReadingDear = this.#isFirst && readMs > writtenMs * CHEAP_READING_SHARE;
    this.#isFirst = false;
    if (hadToWait || isReadingDear) return this.#settleAt(this.#narrower);
    this.#learned.answers += 1;
    if (writtenMs > 0) {
      this.#learned.tokens += writtenTokens;
      this.#learned.ms += writtenMs;
    }
    if (this.#learned.answers >= this.#wanted) this.#widen();
  }

  #widen(): void {
    const { tokens, ms } = this.#learned;
    const rate = ms > 0 ? (this.#wanted * tokens) / ms : undefined;
    const before = this.#narrowerRate;
    if (before !== undefined && rate !== undefined && rate < before * WORTHWHILE_GAIN)
      return this.#settleAt(this.#narrower);
    if (this.#wanted === this.#most) return this.#settleAt(this.#wanted);
    this.#narrower = this.#wanted;
    this.#narrowerRate = rate;
    this.#learned = { answers: 0, tokens: 0, ms: 0 };
    this.#wanted = Math.min(this.#most, this.#wanted * 2);
  }

  #settleAt(wanted: number): void {
    this.#wanted = wanted;
    this.#isSettled = true;
  }
}
