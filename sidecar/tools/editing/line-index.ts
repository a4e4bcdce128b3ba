/**
 * Finds blocks of lines under a folding in linear time: every folded line becomes a number, and numbers are searched
 * with Knuth, Morris and Pratt's algorithm, so that repetitive files cost no more than others.
 */
import type { Fold } from './folding.ts';

export class LineIndex {
  readonly #fold: Fold;
  readonly #numbers = new Map<string, number>();
  readonly #lines: Int32Array;

  constructor(lines: readonly string[], fold: Fold) {
    this.#fold = fold;
    this.#lines = new Int32Array(lines.length);
    for (const [index, line] of lines.entries()) {
      const folded = fold(line);
      let number = this.#numbers.get(folded);
      if (number === undefined) this.#numbers.set(folded, (number = this.#numbers.size));
      this.#lines[index] = number;
    }
  }

  get length(): number {
    return this.#lines.length;
  }

  /** Lines (from 0) where `block` begins, overlapping ones included, at `from` or later; at most `limit`. */
  find(block: readonly string[], from = 0, limit = Infinity): number[] {
    const wanted = this.#numbersOf(block);
    if (!wanted || wanted.length === 0) return [];
    return search(this.#lines, wanted, from, limit);
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

/** Positions of `wanted` in `text`, both as numbers; overlapping ones included. */
function search(text: Int32Array, wanted: Int32Array, from: number, limit: number): number[] {
  const borders = borderTable(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = Math.max(0, from); at < text.length && found.length < limit; at++) {
    while (matched > 0 && text[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    found.push(at - matched + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each prefix of `wanted` the length of its longest border. */
function borderTable(wanted: Int32Array): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let at = 1, length = 0; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length++;
    borders[at] = length;
  }
  return borders;
}

/** A shorter text is found by the engine's own search; beyond it hostile repetition would make that quadratic. */
const PLAIN_SEARCH_CHARS = 64;

/** Offsets of `wanted` in `text`, overlapping ones included, at most `limit`; in linear time. */
export function findText(text: string, wanted: string, limit: number): number[] {
  if (wanted === '' || wanted.length > text.length) return [];
  if (wanted.length > PLAIN_SEARCH_CHARS) {
    // Most passages are there as a whole or not at all; their beginning decides cheaply.
    const start = text.indexOf(wanted.slice(0, PLAIN_SEARCH_CHARS));
    return start < 0 ? [] : search(characters(text), characters(wanted), start, limit);
  }
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < limit; at = text.indexOf(wanted, at + 1))
    found.push(at);
  return found;
}

function characters(text: string): Int32Array {
  const codes = new Int32Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}
