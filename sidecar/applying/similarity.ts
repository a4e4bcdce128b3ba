/**
 * Measures the similarity of two blocks of lines, from 0 to 1, in linear time: equal beginnings and ends are skipped,
 * and only a short rest is aligned line by line.
 */

/** Aligning costs the product of both sides' lines. */
const MAX_ALIGNED_CELLS = 2_500;

/** Returns the share of the characters that both blocks have in the same order. */
export function blockSimilarity(wanted: readonly string[], found: readonly string[]): number {
  const total = Math.max(weight(wanted), weight(found));
  if (total === 0) return wanted.length === found.length ? 1 : 0;
  let start = 0;
  const shorter = Math.min(wanted.length, found.length);
  while (start < shorter && wanted[start] === found[start]) start++;
  let end = 0;
  while (end < shorter - start && wanted[wanted.length - 1 - end] === found[found.length - 1 - end]) end++;
  const same = weight(wanted.slice(0, start)) + weight(wanted.slice(wanted.length - end));
  const rest = alignedWeight(
    wanted.slice(start, wanted.length - end),
    found.slice(start, found.length - end),
  );
  return (same + rest) / total;
}

const weight = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);

function alignedWeight(wanted: readonly string[], found: readonly string[]): number {
  if (wanted.length === found.length)
    return wanted.reduce((sum, line, index) => sum + lineWeight(line, found[index] ?? ''), 0);
  if (wanted.length * found.length > MAX_ALIGNED_CELLS) return 0;
  let previous = new Float64Array(found.length + 1);
  for (const line of wanted) {
    const current = new Float64Array(found.length + 1);
    for (const [index, other] of found.entries()) {
      const paired = (previous[index] ?? 0) + lineWeight(line, other);
      current[index + 1] = Math.max(paired, previous[index + 1] ?? 0, current[index] ?? 0);
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

const lineWeight = (a: string, b: string): number => lineSimilarity(a, b) * Math.max(a.length, b.length);

/** Returns Dice's coefficient over pairs of neighbouring characters. */
export function lineSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<number, number>();
  for (let at = 0; at < a.length - 1; at++) {
    const pair = pairAt(a, at);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at < b.length - 1; at++) {
    const pair = pairAt(b, at);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    shared++;
    pairs.set(pair, left - 1);
  }
  return (2 * shared) / (a.length + b.length - 2);
}

const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
