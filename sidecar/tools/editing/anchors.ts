/**
 * The riskiest fall-back of an edit: the first and the last line are found, and what stands
 * between them is nearly what was wanted: 0.9 alike at least, and no other place within 0.1.
 */
import {
  exactly,
  foldTypography,
  isBlank,
  withoutSurrounding,
  withoutSurroundingOrTypography,
} from './folding.ts';
import { findBlock } from './line-index.ts';
import { blockSimilarity } from './similarity.ts';

/** Lines `start` up to (not including) `end`, from 0; `similarity` of the middle from 0 to 1. */
export interface AnchoredPlace {
  start: number;
  end: number;
  similarity: number;
}

const LEAST_SIMILARITY = 0.9;
const LEAST_DISTANCE = 0.1;
/** Fewer lines have no middle. */
const LEAST_LINES = 3;
/** With more candidates than this the anchors say too little. */
const MAX_CANDIDATES = 64;
/** Comparing costs the passage's length for each candidate; beyond this many characters none is tried. */
const MAX_COMPARED_CHARS = 2_000_000;

/** One place, or several when none is clearly the best; empty when nothing is near enough. */
export function findByAnchors(text: string, wanted: readonly string[]): AnchoredPlace[] {
  const first = wanted[0] ?? '';
  const last = wanted.at(-1) ?? '';
  if (wanted.length < LEAST_LINES || isBlank(first) || isBlank(last)) return [];
  // Folded as one text: line by line it would take several times as long.
  const folded = foldTypography(text).split('\n').map(withoutSurrounding);
  const find = (line: string): number[] => findBlock(folded, [withoutSurroundingOrTypography(line)], exactly);
  const spans = candidateSpans(find(first), find(last), wanted.length);
  const wantedChars = wanted.reduce((sum, line) => sum + line.length, 0);
  if (spans.length * wantedChars > MAX_COMPARED_CHARS) return [];
  const middle = wanted.slice(1, -1).map(withoutSurroundingOrTypography);
  const places = spans.map(({ start, end }) => ({
    start,
    end,
    similarity: blockSimilarity(middle, folded.slice(start + 1, end - 1)),
  }));
  const near = bestEnds(places, wanted.length).filter(
    ({ similarity }) => similarity >= LEAST_SIMILARITY - LEAST_DISTANCE,
  );
  const best = Math.max(...near.map(({ similarity }) => similarity));
  if (best < LEAST_SIMILARITY) return [];
  return near.filter(({ similarity }) => similarity > best - LEAST_DISTANCE);
}

/** Pairs of anchors about as far apart as they should be; none when there are too many to tell apart. */
function candidateSpans(
  firsts: readonly number[],
  lasts: readonly number[],
  length: number,
): { start: number; end: number }[] {
  const slack = Math.max(2, Math.ceil(length / 5));
  const spans: { start: number; end: number }[] = [];
  let from = 0;
  for (const start of firsts) {
    while (from < lasts.length && (lasts[from] ?? 0) < Math.max(start + 2, start + length - 1 - slack))
      from++;
    for (let at = from; at < lasts.length && (lasts[at] ?? 0) <= start + length - 1 + slack; at++) {
      spans.push({ start, end: (lasts[at] ?? 0) + 1 });
      if (spans.length > MAX_CANDIDATES) return [];
    }
  }
  return spans;
}

/**
 * Several ends for one beginning (nested closing braces) are one place: the end that gives as many lines as wanted
 * when it is the most alike, otherwise all of them, so that none is chosen.
 */
function bestEnds(places: readonly AnchoredPlace[], length: number): AnchoredPlace[] {
  const byStart = new Map<number, AnchoredPlace[]>();
  for (const place of places) byStart.set(place.start, [...(byStart.get(place.start) ?? []), place]);
  return [...byStart.values()].flatMap((ends) => {
    const expected = ends.find(({ start, end }) => end - start === length);
    const best = Math.max(...ends.map(({ similarity }) => similarity));
    return expected && expected.similarity === best ? [expected] : ends;
  });
}
