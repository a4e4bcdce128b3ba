/**
 * The text of one answer with what readers need to stay linear: searches that remember, the bracket index, and
 * budgets. Whatever may look at a piece of text more than once draws on a budget in proportion to the text;
 * when it is spent, readers find nothing more and the rest counts as prose.
 */
import { MAX_REPAIR_BYTES } from '../../values/repair-json.ts';
import { indexBrackets, type BracketIndex } from './bracket-index.ts';

const stepsPerCharacter = 16;
const freeSteps = 64 * 1024;
/** Even a tiny repair costs as much as this. */
const minRepairBytes = 512;
/** Small repairs cost in proportion to their size, as if there were so much more of it; so there are 128 at most. */
const linearRepairBytes = 16 * 1024;
const maxFailures = 500;
/** So often may the whole text be read by the tolerant grammar. */
const searchesOfWholeText = 3;

export class Source {
  readonly text: string;
  #brackets: BracketIndex | undefined;
  #found = new Map<string, { from: number; at: number }>();
  #foundAny = new Map<readonly string[], { from: number; at: number }>();
  #steps: number;
  /** Of one candidate of the largest size, or of several smaller ones. */
  #repairCost = MAX_REPAIR_BYTES ** 2;
  #failures = 0;
  #matches = new Map<RegExp, { from: number; match: RegExpExecArray | null }>();
  #searchedChars = 0;

  constructor(text: string) {
    this.text = text;
    this.#steps = text.length * stepsPerCharacter + freeSteps;
  }

  get brackets(): BracketIndex {
    this.#brackets ??= indexBrackets(this.text);
    return this.#brackets;
  }

  /** First position of `mark` from `from` on, -1 when there is none or the budget is spent. */
  find(mark: string, from: number): number {
    const known = this.#found.get(mark);
    if (known && from >= known.from && (known.at === -1 || from <= known.at)) return known.at;
    const at = this.text.indexOf(mark, from);
    this.#found.set(mark, { from, at });
    return this.spend((at === -1 ? this.text.length : at) - from) ? at : -1;
  }

  /** First position of any of `marks` (always the same array) from `from` on, -1 when there is none. */
  findAny(marks: readonly string[], from: number): number {
    const known = this.#foundAny.get(marks);
    if (known && from >= known.from && (known.at === -1 || from <= known.at)) return known.at;
    let at = -1;
    for (const mark of marks) {
      const found = this.find(mark, from);
      if (found !== -1 && (at === -1 || found < at)) at = found;
    }
    this.#foundAny.set(marks, { from, at });
    return at;
  }

  /** The first match of `pattern` (always the same, with the flag g) from `from` on; the text is gone through once. */
  findMatch(pattern: RegExp, from: number): RegExpExecArray | null {
    const known = this.#matches.get(pattern);
    if (known && from >= known.from && (!known.match || from <= known.match.index)) return known.match;
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    this.#matches.set(pattern, { from, match });
    return match;
  }

  /** Takes `steps` of work (about one character each); false when the budget is spent. */
  spend(steps: number): boolean {
    this.#steps -= steps;
    return this.#steps >= 0;
  }

  /** Whether a candidate of this size may still be repaired; its cost grows with the square of its size. */
  spendRepair(sizeBytes: number): boolean {
    this.#repairCost -= Math.max(sizeBytes, minRepairBytes) * Math.max(sizeBytes, linearRepairBytes);
    return this.#repairCost >= 0;
  }

  /** Whether JSON that is not exact may still be read by the tolerant grammar, which may go on to the end of the text. */
  get maySearchOn(): boolean {
    return this.#searchedChars <= this.text.length * searchesOfWholeText;
  }

  spendSearch(chars: number): void {
    this.#searchedChars += chars;
  }

  /** Counts a candidate that was no call after all. */
  countFailure(): void {
    this.#failures += 1;
  }

  /** False after so many candidates that were no calls that trying more makes no sense. */
  get isPatient(): boolean {
    return this.#failures < maxFailures;
  }

  /** First position from `at` on that is not white space. */
  skipSpace(at: number): number {
    let position = at;
    while (isSpace(this.text.charCodeAt(position))) position += 1;
    return position;
  }
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
}
