/**
 * Holds the text of one answer, with cached searches and a work budget in proportion to the text's length, so that readers stay linear.
 * When the budget is spent, readers find nothing more and the rest counts as prose.
 */
const STEPS_PER_CHAR = 16;
const FREE_STEPS = 512 * 1024;
/** Number of unsuccessful readings of the whole text after which the budget is spent. */
const MAX_WHOLE_TEXT_READINGS = 2;
const MAX_FAILED_READINGS = 500;

export class AnswerText {
  readonly text: string;
  readonly #maxSteps: number;
  #spentSteps = 0;
  #positions = new Map<string, { from: number; index: number }>();

  constructor(text: string) {
    this.text = text;
    this.#maxSteps = text.length * STEPS_PER_CHAR + FREE_STEPS;
  }

  /** Returns the first position of `mark` at or after `from`; -1 if there is none or the budget is spent. */
  find(mark: string, from: number): number {
    const cached = this.#positions.get(mark);
    if (cached && from >= cached.from && (cached.index === -1 || from <= cached.index)) return cached.index;
    const index = this.text.indexOf(mark, from);
    this.#positions.set(mark, { from, index });
    return this.spend((index === -1 ? this.text.length : index) - from) ? index : -1;
  }

  /** Returns the first position of any of `marks` at or after `from`; -1 if there is none. */
  findAny(marks: readonly string[], from: number): number {
    const indexes = marks.map((mark) => this.find(mark, from)).filter((index) => index !== -1);
    return indexes.length === 0 ? -1 : Math.min(...indexes);
  }

  /** Returns which of `marks` is at the position `offset`; undefined if none is. */
  findMarkAt(marks: readonly string[], offset: number): string | undefined {
    return marks.find((mark) => this.text.startsWith(mark, offset));
  }

  /** Returns the first position at or after `offset` that is not white space. */
  skipSpace(offset: number): number {
    let position = offset;
    while (isSpace(this.text.charCodeAt(position))) position += 1;
    return position;
  }

  /** Subtracts `steps` of work (about one per character) from the budget. Returns false if the budget is spent. */
  spend(steps: number): boolean {
    this.#spentSteps += steps;
    return this.hasBudget;
  }

  /** Subtracts the cost of an unsuccessful reading of `chars` characters from the budget. */
  countFailure(chars = 0): void {
    this.spend(this.#maxSteps / MAX_FAILED_READINGS + (chars * STEPS_PER_CHAR) / MAX_WHOLE_TEXT_READINGS);
  }

  /** Whether steps of the work budget are left. */
  get hasBudget(): boolean {
    return this.#spentSteps <= this.#maxSteps;
  }
}

const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

/** Returns the match of a sticky or global `pattern` at or after `offset`. */
export function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

const namePattern = /(?:[\w.-]|\\_|[\u00C0-\u1FFF\u2E80-\uFEFF]){1,128}/y;

/**
 * Returns the end of the tool name (at most 128 characters) that starts at `offset`, or `offset` if there is none.
 */
export function findNameEnd(text: string, offset: number): number {
  namePattern.lastIndex = offset;
  return namePattern.test(text) ? namePattern.lastIndex : offset;
}
