/**
 * Restores the lines that an answer omits with an elision mark. Lines of both texts are paired: first equal lines at the end, then lines
 * that occur once in the old text, in order. A mark is replaced by the old lines between the pairs around it, except those that the answer
 * rewords.
 */
import { isElisionMark } from './elision-marks.ts';
import { createLineFinder, measureSimilarity } from './code-text.ts';

/** Minimum similarity of a line and its reworded form, from 0 to 1. */
const MIN_SIMILARITY = 0.5;

/** Returns whether the new text has elision marks that are not lines of the old text. */
export function hasNewMark(text: string, oldText: string): boolean {
  const countMarks = (part: string): number => part.split('\n').filter(isElisionMark).length;
  if (countMarks(text) <= countMarks(oldText)) return false;
  const knownLines = new Set(oldText.split('\n').map((line) => line.trim()));
  return text.split('\n').some((line) => isElisionMark(line) && !knownLines.has(line.trim()));
}

/**
 * Returns the new text with its elision marks replaced by the old lines, or undefined if a line between two
 * marks matches no old line.
 */
export function restoreElided(text: string, oldText: string): string | undefined {
  const oldLines = oldText.split('\n');
  const known = new Set(oldLines.map((line) => line.trim()));
  const answerLines = text
    .split('\n')
    .map((line): AnswerLine => ({ text: line, isMark: isElisionMark(line) && !known.has(line.trim()) }));
  pairLines(answerLines, oldLines);
  const merged: string[] = [];
  for (const [index, line] of answerLines.entries()) {
    const lines = line.isMark ? findElidedLines(index, answerLines, oldLines) : [line.text];
    if (!lines) return undefined;
    for (const one of lines) merged.push(one);
  }
  return merged.join('\n');
}

interface AnswerLine {
  text: string;
  isMark: boolean;
  /** Index of the paired old line. */
  pair?: number;
}

const areSameLines = (a: string | undefined, b: string | undefined): boolean => a?.trim() === b?.trim();

function pairLines(answerLines: AnswerLine[], oldLines: readonly string[]): void {
  let tail = 0;
  for (; tail < Math.min(answerLines.length, oldLines.length); tail += 1) {
    const line = answerLines.at(-1 - tail);
    if (!line || line.isMark || !areSameLines(line.text, oldLines.at(-1 - tail))) break;
    line.pair = oldLines.length - 1 - tail;
  }
  const findLine = createLineFinder(oldLines.slice(0, oldLines.length - tail));
  let next = 0;
  // Number of old lines that the answer may have replaced since the last pair. After a mark there is no limit.
  let replaced = 0;
  for (const [index, line] of answerLines.slice(0, answerLines.length - tail).entries()) {
    if (line.isMark) {
      replaced = Infinity;
      continue;
    }
    const pair = index === 0 ? 0 : findLine(line.text, next);
    if (pair === undefined || pair - next > replaced) replaced += 1;
    else {
      line.pair = pair;
      next = pair + 1;
      replaced = 0;
    }
  }
}

/** Returns the old lines that replace the mark at `index`. */
function findElidedLines(
  index: number,
  answerLines: readonly AnswerLine[],
  oldLines: readonly string[],
): string[] | undefined {
  const above = answerLines.findLastIndex(({ pair }, lineIndex) => lineIndex < index && pair !== undefined);
  const below = answerLines.findIndex(({ pair }, lineIndex) => lineIndex > index && pair !== undefined);
  const leadingLines = answerLines.slice(above + 1, index);
  const trailingLines = answerLines.slice(index + 1, below < 0 ? undefined : below);
  // Several adjacent marks count as one mark. A text between two marks has no certain place.
  if (trailingLines.some((line) => line.isMark))
    return leadingLines.length === 0 && trailingLines.every((line) => line.isMark || line.text.trim() === '')
      ? []
      : undefined;
  const gap = oldLines.slice(
    (answerLines[above]?.pair ?? -1) + 1,
    answerLines[below]?.pair ?? oldLines.length,
  );
  const from = countReworded(gap, leadingLines);
  const to = gap.length - countReworded(gap.slice(from).toReversed(), trailingLines.toReversed());
  return gap.slice(from, to);
}

/** Counts the first of the old lines that the answer rewords. Each line of the answer matches at most one old line. */
function countReworded(oldLines: readonly string[], answerLines: readonly AnswerLine[]): number {
  let next = 0;
  let count = 0;
  for (const [index, line] of oldLines.entries()) {
    if (line.trim() === '') continue;
    const match = answerLines.findIndex(
      ({ text }, lineIndex) =>
        lineIndex >= next && measureSimilarity(line.trim(), text.trim()) >= MIN_SIMILARITY,
    );
    if (match < 0) break;
    next = match + 1;
    count = index + 1;
  }
  return count;
}
