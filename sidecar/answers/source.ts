/**
 * The text of one answer with what readers need to stay linear: searches that remember, and a budget in proportion to the
 * text, on which everything draws that may look at a piece of it more than once. When it is spent, readers find nothing
 * more and the rest counts as prose.
 */
const stepsPerChar = 16;
const freeSteps = 512 * 1024;
/** So often may the whole text be read as values that turn out to be none. */
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

  /** First position of `mark` from `from` on, -1 when there is none or the budget is spent. */
  find(mark: string, from: number): number {
    const known = this.#found.get(mark);
    if (known && from >= known.from && (known.at === -1 || from <= known.at)) return known.at;
    const at = this.text.indexOf(mark, from);
    this.#found.set(mark, { from, at });
    return this.spend((at === -1 ? this.text.length : at) - from) ? at : -1;
  }

  /** First position of any of `marks` from `from` on, -1 when there is none. */
  findAny(marks: readonly string[], from: number): number {
    const found = marks.map((mark) => this.find(mark, from)).filter((at) => at !== -1);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  /** The one of `marks` that stands at `at`. */
  markAt(marks: readonly string[], at: number): string | undefined {
    return marks.find((mark) => this.text.startsWith(mark, at));
  }

  /** First position from `at` on that is not white space. */
  skipSpace(at: number): number {
    let position = at;
    while (isSpace(this.text.charCodeAt(position))) position += 1;
    return position;
  }

  /** Takes `steps` of work (about one character each); false when the budget is spent. */
  spend(steps: number): boolean {
    this.#spent += steps;
    return this.isPatient;
  }

  /** Counts a place that was no call after all, and the characters that were read to find that out. */
  countFailure(chars = 0): void {
    this.spend(this.#budget / maxFailures + (chars * stepsPerChar) / readingsOfWholeText);
  }

  /** False after so much that was no call that trying more makes no sense. */
  get isPatient(): boolean {
    return this.#spent <= this.#budget;
  }
}

const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

/** Where a sticky or global `pattern` matches from `at` on. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const name = /(?:[\w.-]|\\_|[\u00C0-\u1FFF\u2E80-\uFEFF]){1,128}/y;

/** Where a tool's name that starts at `at` ends; `at` itself when there is none. Names are at most 128 long. */
export function nameEnd(text: string, at: number): number {
  name.lastIndex = at;
  return name.test(text) ? name.lastIndex : at;
}
