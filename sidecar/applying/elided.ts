/**
 * Puts back what an answer left out with a mark. Lines of both texts are paired: those at the end, then those that stand in the
 * old text once, in order. A mark stands for the old lines between the pairs around it, without those that the answer has
 * in other words. Undefined where a line between two marks has no pair.
 */
import { lineSimilarity } from './similarity.ts';
import { isMark } from './marks.ts';
import { lineFinder } from './texts.ts';

/** How alike a line and what it has become are at least, from 0 to 1. */
const LEAST_SIMILARITY = 0.5;

/** Marks of the new text that are no lines of the old one, nor such a line in other words. */
export function hasOwnMark(text: string, old: string): boolean {
  const countOf = (of: string): number => of.split('\n').filter(isMark).length;
  if (countOf(text) <= countOf(old)) return false;
  const known = new Set(old.split('\n').map((line) => line.trim()));
  return text.split('\n').some((line) => isMark(line) && !known.has(line.trim()));
}

/** The new text, with the old one's lines for its marks. */
export function withLeftOut(text: string, old: string): string | undefined {
  const oldLines = old.split('\n');
  const known = new Set(oldLines.map((line) => line.trim()));
  const given = text
    .split('\n')
    .map((line): Line => ({ text: line, isMark: isMark(line) && !known.has(line.trim()) }));
  pairUp(given, oldLines);
  const merged: string[] = [];
  for (const [index, line] of given.entries()) {
    const lines = line.isMark ? leftOutAt(index, given, oldLines) : [line.text];
    if (!lines) return undefined;
    merged.push(...lines);
  }
  return merged.join('\n');
}

interface Line {
  text: string;
  isMark: boolean;
  /** The old line that it is. */
  pair?: number;
}

const isSame = (a: string | undefined, b: string | undefined): boolean => a?.trim() === b?.trim();

function pairUp(given: Line[], old: readonly string[]): void {
  let tail = 0;
  for (; tail < Math.min(given.length, old.length); tail += 1) {
    const line = given.at(-1 - tail);
    if (!line || line.isMark || !isSame(line.text, old.at(-1 - tail))) break;
    line.pair = old.length - 1 - tail;
  }
  const find = lineFinder(old.slice(0, old.length - tail));
  let next = 0;
  // Lines that may be replaced since the last pair: any number behind a mark.
  let replaced = 0;
  for (const [index, line] of given.slice(0, given.length - tail).entries()) {
    if (line.isMark) {
      replaced = Infinity;
      continue;
    }
    const found = index === 0 ? 0 : find(line.text, next);
    if (found === undefined || found - next > replaced) replaced += 1;
    else {
      line.pair = found;
      next = found + 1;
      replaced = 0;
    }
  }
}

/** The old lines for the mark at this place. */
function leftOutAt(index: number, given: readonly Line[], old: readonly string[]): string[] | undefined {
  const above = given.findLastIndex(({ pair }, at) => at < index && pair !== undefined);
  const below = given.findIndex(({ pair }, at) => at > index && pair !== undefined);
  const lead = given.slice(above + 1, index);
  const trail = given.slice(index + 1, below < 0 ? undefined : below);
  // Marks with nothing between them are one; what stands between two of them has no place.
  if (trail.some((line) => line.isMark))
    return lead.length === 0 && trail.every((line) => line.isMark || line.text.trim() === '')
      ? []
      : undefined;
  const gap = old.slice((given[above]?.pair ?? -1) + 1, given[below]?.pair ?? old.length);
  const from = inOtherWords(gap, lead);
  const to = gap.length - inOtherWords(gap.slice(from).toReversed(), trail.toReversed());
  return gap.slice(from, to);
}

/** How many of the old lines, from the first one on, the answer has in other words; one line stands for one. */
function inOtherWords(old: readonly string[], given: readonly Line[]): number {
  let next = 0;
  let count = 0;
  for (const [index, line] of old.entries()) {
    if (line.trim() === '') continue;
    const found = given.findIndex(
      ({ text }, at) => at >= next && lineSimilarity(line.trim(), text.trim()) >= LEAST_SIMILARITY,
    );
    if (found < 0) break;
    next = found + 1;
    count = index + 1;
  }
  return count;
}
