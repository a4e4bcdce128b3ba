/**
 * Searches in linear time for every input, with the algorithm of Knuth, Morris and Pratt over numbers. A
 * number stands for a character or a whole line.
 */
/**
 * Returns up to `limit` positions of `wanted` in `sequence` at or after `from`, including overlapping ones.
 */
export function findSequence(
  sequence: Int32Array,
  wanted: Int32Array,
  from: number,
  limit: number,
): number[] {
  const found: number[] = [];
  if (wanted.length === 0) return found;
  const borders = buildBorderTable(wanted);
  let matched = 0;
  for (let at = Math.max(0, from); at < sequence.length && found.length < limit; at++) {
    while (matched > 0 && sequence[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (sequence[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    found.push(at - matched + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** Returns the length of the longest border of each prefix of `wanted`. */
function buildBorderTable(wanted: Int32Array): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let at = 1, length = 0; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length++;
    borders[at] = length;
  }
  return borders;
}

/** Length of the prefix that the engine's own search looks for. The prefix excludes most places. */
const PREFIX_CHARS = 64;
/**
 * Maximum number of characters compared place by place before the search switches to the strictly linear
 * algorithm.
 */
const MAX_COMPARED_CHARS = 20_000_000;

/** Returns up to `limit` offsets of `wanted` in `text`, including overlapping ones. */
export function findText(text: string, wanted: string, limit: number): number[] {
  const found: number[] = [];
  if (wanted === '' || wanted.length > text.length) return found;
  const prefix = wanted.slice(0, PREFIX_CHARS);
  let compared = 0;
  for (let at = text.indexOf(prefix); at >= 0 && found.length < limit; at = text.indexOf(prefix, at + 1)) {
    compared += wanted.length - prefix.length;
    if (compared > MAX_COMPARED_CHARS) return findSequence(charCodesOf(text), charCodesOf(wanted), 0, limit);
    if (text.startsWith(wanted, at)) found.push(at);
  }
  return found;
}

function charCodesOf(text: string): Int32Array {
  const codes = new Int32Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}
