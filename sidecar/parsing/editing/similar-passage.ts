/**
 * Finds the passage of a file that shares the most words with a text that the file does not contain, for the error of an edit or a patch.
 * Rare words have more weight. Only some words are searched for, so that large files need little time.
 */
import { excerptAround } from './long-lines.ts';
import type { TextDocument } from './text-document.ts';

/** Maximum number of words to search for. The longest words are the most distinctive. */
const MAX_WORDS = 16;
/** Maximum number of occurrences of a word. A word with more occurrences is ignored, because it is too common. */
const MAX_HITS = 2_000;
/** Maximum length of the part of the wanted text from which words are taken. */
const MAX_QUERY_CHARS = 20_000;
const MAX_SHOWN_LINES = 12;
const MAX_LINE_CHARS = 200;
/** Minimum share of the wanted words that a passage must have. Showing a passage with fewer would mislead the model. */
const MIN_SHARE = 0.35;

const WORD = /[\p{L}\p{N}_$]{2,}/gu;

/** Occurrence of a word. `line`: number of its line, from 0. */
interface WordHit {
  line: number;
  word: string;
  /** Offset of the word in the document's text. */
  offset: number;
}

/**
 * Returns the most similar passage in the form of `read_file`, with long lines shortened. Returns undefined
 * if no passage is similar enough.
 */
export function formatSimilarPassage(document: TextDocument, wanted: readonly string[]): string | undefined {
  const near = findNearest(document, wanted);
  if (!near) return undefined;
  const end = near.line + Math.min(countLines(wanted), MAX_SHOWN_LINES);
  const lines = document.lines.slice(near.line, end).map((line, index) => {
    const part = excerptAround(line, index === 0 ? near.column : 0, MAX_LINE_CHARS);
    return `${near.line + index + 1} | ${part}`;
  });
  return lines.join('\n');
}

const countLines = (wanted: readonly string[]): number => Math.max(1, wanted.length);

/** Start of the most similar passage. */
export interface NearestPassage {
  /** Number of the passage's first line, from 0. */
  line: number;
  /** Column, from 0, around which most of the wanted words stand if the line is long; otherwise 0. */
  column: number;
}

export function findNearest(document: TextDocument, wanted: readonly string[]): NearestPassage | undefined {
  const words = selectDistinctiveWords(wanted.join('\n').slice(0, MAX_QUERY_CHARS));
  const weights = new Map<string, number>();
  const hits: WordHit[] = [];
  let possible = 0;
  for (const word of words) {
    const wordHits = findHits(document, word);
    const weight = word.length / Math.sqrt(Math.max(1, wordHits.length));
    weights.set(word, weight);
    possible += weight;
    if (wordHits.length < MAX_HITS) hits.push(...wordHits);
  }
  const { start: line, score } = findBestWindow(
    hits.sort((a, b) => a.line - b.line),
    weights,
    countLines(wanted),
  );
  if (hits.length === 0 || score < possible * MIN_SHARE) return undefined;
  return { line, column: findColumn(document, line, { hits, weights, chars: wanted.join('\n').length }) };
}

function findColumn(
  document: TextDocument,
  line: number,
  { hits, weights, chars }: { hits: readonly WordHit[]; weights: ReadonlyMap<string, number>; chars: number },
): number {
  if ((document.lines[line]?.length ?? 0) <= MAX_LINE_CHARS) return 0;
  const inLine = hits.filter((hit) => hit.line === line).map(({ offset, word }) => ({ word, line: offset }));
  const { start } = findBestWindow(
    inLine.sort((a, b) => a.line - b.line),
    weights,
    Math.max(chars, 1),
  );
  return Math.max(0, start - document.startOf(line));
}

function selectDistinctiveWords(text: string): string[] {
  const words = [...new Set(text.match(WORD))];
  return words.sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
}

function findHits(document: TextDocument, word: string): WordHit[] {
  const { text } = document;
  const hits: WordHit[] = [];
  for (
    let offset = text.indexOf(word);
    offset >= 0 && hits.length < MAX_HITS;
    offset = text.indexOf(word, offset + word.length)
  )
    hits.push({ line: document.lineAt(offset), word, offset });
  return hits;
}

/**
 * Returns the group of `size` adjacent lines whose distinct words have the most weight. Of equal groups, returns the one with more
 * occurrences.
 */
function findBestWindow(
  hits: readonly Pick<WordHit, 'line' | 'word'>[],
  weights: ReadonlyMap<string, number>,
  size: number,
): { start: number; score: number } {
  const countInWindow = new Map<string, number>();
  let best = { start: 0, score: 0, count: 0 };
  let score = 0;
  let oldestIndex = 0;
  for (const [newestIndex, { line, word }] of hits.entries()) {
    if (addCount(countInWindow, word, 1) === 1) score += weights.get(word) ?? 0;
    for (
      let leaving = hits[oldestIndex];
      leaving && leaving.line <= line - size;
      leaving = hits[++oldestIndex]
    )
      if (addCount(countInWindow, leaving.word, -1) === 0) score -= weights.get(leaving.word) ?? 0;
    const count = newestIndex - oldestIndex;
    // A difference within the rounding error does not decide.
    const better = score - best.score;
    if (better > 1e-6 || (better > -1e-6 && count > best.count))
      best = { start: hits[oldestIndex]?.line ?? line, score, count };
  }
  return best;
}

function addCount(counts: Map<string, number>, word: string, delta: number): number {
  const count = (counts.get(word) ?? 0) + delta;
  counts.set(word, count);
  return count;
}
