/**
 * Finds blocks of lines in a file, each at the strictest level that matches. Linear in the file for each
 * level.
 */
import { FOLD_LEVELS } from './folding.ts';
import { findSequence } from './sequence-search.ts';

interface LineMatches {
  /** Indexes, from 0, of the lines at which matches begin. Matches may overlap. */
  firstLines: number[];
  matchNote: string;
}

export class LineFinder {
  readonly #lines: readonly string[];
  readonly #indexes: LineIndex[] = [];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /**
   * Returns the accepted places among the first `limit` matches at or after `from`, at the strictest level that has any; undefined if no
   * level has.
   */
  find(
    block: readonly string[],
    {
      from = 0,
      limit,
      accepts = () => true,
    }: { from?: number; limit: number; accepts?: (line: number) => boolean },
  ): LineMatches | undefined {
    for (const [level, { fold, matchNote }] of FOLD_LEVELS.entries()) {
      const index = (this.#indexes[level] ??= new LineIndex(this.#lines, fold));
      const firstLines = index.find(block, from, limit).filter(accepts);
      if (firstLines.length > 0) return { firstLines, matchNote };
    }
    return undefined;
  }
}

/** Index of lines at one level of folding. All lines that are equal after folding have the same number. */
class LineIndex {
  readonly #fold: (line: string) => string;
  readonly #numbers = new Map<string, number>();
  readonly #lines: Int32Array;

  constructor(lines: readonly string[], fold: (line: string) => string) {
    this.#fold = fold;
    this.#lines = Int32Array.from(lines, (line) => {
      const folded = fold(line);
      const number = this.#numbers.get(folded) ?? this.#numbers.size;
      this.#numbers.set(folded, number);
      return number;
    });
  }

  find(block: readonly string[], from: number, limit: number): number[] {
    const numbers = Int32Array.from(block, (line) => this.#numbers.get(this.#fold(line)) ?? -1);
    return numbers.includes(-1) ? [] : findSequence(this.#lines, numbers, from, limit);
  }
}
