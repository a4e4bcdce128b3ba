/** The lines of a file under one folding, for many searches: every folded line becomes a number once. */
import type { Fold } from './folding.ts';
import { findSequence } from './sequence-search.ts';

export class LineIndex {
  readonly #fold: Fold;
  readonly #numbers = new Map<string, number>();
  readonly #lines: Int32Array;

  constructor(lines: readonly string[], fold: Fold) {
    this.#fold = fold;
    this.#lines = new Int32Array(lines.length);
    for (const [index, line] of lines.entries()) {
      const folded = fold(line);
      const number = this.#numbers.get(folded) ?? this.#numbers.size;
      if (number === this.#numbers.size) this.#numbers.set(folded, number);
      this.#lines[index] = number;
    }
  }

  /** Lines (from 0) where `block` begins, overlapping ones included, at `from` or later; at most `limit`. */
  find(block: readonly string[], from: number, limit: number): number[] {
    const wanted = this.#numbersOf(block);
    return wanted ? findSequence(this.#lines, wanted, from, limit) : [];
  }

  /** Whether `block` stands at line `at`. */
  matchesAt(block: readonly string[], at: number): boolean {
    if (at < 0 || at + block.length > this.#lines.length) return false;
    return block.every((line, index) => this.#numbers.get(this.#fold(line)) === this.#lines[at + index]);
  }

  /** Undefined when a line of `block` is nowhere in the file. */
  #numbersOf(block: readonly string[]): Int32Array | undefined {
    const wanted = new Int32Array(block.length);
    for (const [index, line] of block.entries()) {
      const number = this.#numbers.get(this.#fold(line));
      if (number === undefined) return undefined;
      wanted[index] = number;
    }
    return wanted;
  }
}

/** Lines where `block` begins under `fold`, overlapping ones included, at most `limit`. For one search in a file. */
export const findBlock = (
  lines: readonly string[],
  block: readonly string[],
  fold: Fold,
  limit = Infinity,
): number[] => new LineIndex(lines, fold).find(block, 0, limit);
