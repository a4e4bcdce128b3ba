/**
 * Holds the text of one answer, with cached searches and a work budget in proportion to its length, so that
 * readers stay linear. When the budget is spent, readers find nothing more and the rest counts as prose.
 */
const stepsPerChar = 16;
const freeSteps = 512 * 1024;
/** How often the whole text may be read without success before the budget is spent. */
const readingsOfWholeText = 2;
const maxFailures = 500;

export class Source {
  readonly text: string;
  readonly #budget: number;
  #spent = 0;
  #found = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
    this.#budget = text.length * stepsPerChar + freeSteps;
  }

  /**
   * Returns the first position of `mark` at or after `from`, or -1 if there is none or the budget is spent.
   */
  find(mark: string, from: number): number {
    const known = this.#found.get(mark);
    if (known && from >= known.from && (known.at === -1 || from <= known.at)) return known.at;
    const at = this.text.indexOf(mark, from);
    this.#found.set(mark, { from, at });
    return this.spend((at === -1 ? this.text.length : at) - from) ? at : -1;
  }

  /** Returns the first position of any of `marks` at or after `from`, or -1 if there is none. */
  findAny(marks: readonly string[], from: number): number {
    const found = marks.map((mark) => this.find(mark, from)).filter((at) => at !== -1);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  /** Returns the mark at the position `at`. */
  markAt(marks: readonly string[], at: number): string | undefined {
    return marks.find((mark) => this.text.startsWith(mark, at));
  }

  /** Returns the first position at or after `at` that is not white space. */
  skipSpace(at: number): number {
    let position = at;
    while (isSpace(this.text.charCodeAt(position))) position += 1;
    return position;
  }

  /**
   * Subtracts `steps` of work (about one character each) from the budget. Returns false if the budget is
   * spent.
   */
  spend(steps: number): boolean {
    this.#spent += steps;
    return this.hasBudget;
  }

  /** Charges a failed reading and the characters that were read for it. */
  countFailure(chars = 0): void {
    this.spend(this.#budget / maxFailures + (chars * stepsPerChar) / readingsOfWholeText);
  }

  /** Whether the work budget has steps left. */
  get hasBudget(): boolean {
    return this.#spent <= this.#budget;
  }
}

const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

/** Returns the match of a sticky or global `pattern` at or after `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const name = /(?:[\w.-]|\\_|[\u00C0-\u1FFF\u2E80-\uFEFF]){1,128}/y;

/**
 * Returns the end of the tool name (at most 128 characters) that starts at `at`, or `at` if there is none.
 */
export function nameEnd(text: string, at: number): number {
  name.lastIndex = at;
  return name.test(text) ? name.lastIndex : at;
}
