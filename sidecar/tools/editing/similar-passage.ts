/**
 * For the error of an edit or a patch that found nothing: the passage of the file that shares the most words with what
 * was wanted, rare words counting more. One pass over the file, bounded in size.
 */

/** Larger files get no such hint. */
const MAX_SEARCHED_CHARS = 8_000_000;
const MAX_SHOWN_LINES = 12;
const MAX_LINE_CHARS = 200;
/** Below this share of the wanted words the passage would mislead. */
const LEAST_SHARE = 0.35;

const WORD = /[\p{L}\p{N}_$]{2,}/gu;

/** `NNN | text` lines of the most similar passage, or undefined when nothing is near. */
export function similarPassage(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const wantedWords = new Set(wanted.join('\n').match(WORD));
  if (wantedWords.size === 0 || totalChars(lines) > MAX_SEARCHED_CHARS) return undefined;
  const hits = lines.map((line) => wordsIn(line, wantedWords));
  const weights = wordWeights(hits);
  const size = Math.min(Math.max(wanted.length, 1), lines.length);
  const { start, score } = bestWindow(hits, weights, size);
  let best = 0;
  for (const word of wantedWords) best += weights.get(word) ?? word.length;
  if (score < best * LEAST_SHARE) return undefined;
  return numberedLines(lines, start, Math.min(size, MAX_SHOWN_LINES));
}

/** Lines as `read_file` shows them, long ones cut. */
export function numberedLines(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + count)
    .map((line, index) => `${start + index + 1} | ${line.slice(0, MAX_LINE_CHARS)}`)
    .join('\n');
}

function totalChars(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

function wordsIn(line: string, wanted: ReadonlySet<string>): string[] {
  return line.match(WORD)?.filter((word) => wanted.has(word)) ?? [];
}

/** A word that is everywhere says little about the place. */
function wordWeights(hits: readonly string[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of hits) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([word, count]) => [word, word.length / Math.sqrt(count)]));
}

/** The `size` lines in a row whose different wanted words weigh the most; the first of equal ones. */
function bestWindow(
  hits: readonly string[][],
  weights: ReadonlyMap<string, number>,
  size: number,
): { start: number; score: number } {
  const inside = new Map<string, number>();
  let score = 0;
  let best = { start: 0, score: -1 };
  for (const [at, words] of hits.entries()) {
    for (const word of words) score += change(inside, word, 1) === 1 ? (weights.get(word) ?? 0) : 0;
    for (const word of hits[at - size] ?? [])
      score -= change(inside, word, -1) === 0 ? (weights.get(word) ?? 0) : 0;
    // Adding and taking away leaves rounding errors; they must not decide.
    if (score > best.score + 1e-6) best = { start: Math.max(0, at - size + 1), score };
  }
  return best;
}

function change(counts: Map<string, number>, word: string, by: number): number {
  const count = (counts.get(word) ?? 0) + by;
  counts.set(word, count);
  return count;
}
