/**
 * Searches in linear time for every input, with the algorithm of Knuth, Morris and Pratt on numbers. A number represents a character or a
 * whole line.
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
  const positions: number[] = [];
  if (wanted.length === 0) return positions;
  const borders = buildBorderTable(wanted);
  let matched = 0;
  for (let index = Math.max(0, from); index < sequence.length && positions.length < limit; index++) {
    while (matched > 0 && sequence[index] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (sequence[index] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    positions.push(index - matched + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return positions;
}

/** Returns, for each prefix of `wanted`, the length of its longest border: the text with which it both begins and ends. */
function buildBorderTable(wanted: Int32Array): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let index = 1, length = 0; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length++;
    borders[index] = length;
  }
  return borders;
}

/** Length of the beginning of a text for which the engine's own search is used. It excludes most places. */
const PREFIX_CHARS = 64;
/**
 * Maximum number of characters compared place by place before the search switches to the strictly linear
 * algorithm.
 */
const MAX_COMPARED_CHARS = 20_000_000;

/** Returns up to `limit` offsets of `wanted` in `text`, including overlapping ones. */
export function findText(text: string, wanted: string, limit: number): number[] {
  const offsets: number[] = [];
  if (wanted === '' || wanted.length > text.length) return offsets;
  const prefix = wanted.slice(0, PREFIX_CHARS);
  let compared = 0;
  for (
    let index = text.indexOf(prefix);
    index >= 0 && offsets.length < limit;
    index = text.indexOf(prefix, index + 1)
  ) {
    compared += wanted.length - prefix.length;
    if (compared > MAX_COMPARED_CHARS) return findSequence(charCodesOf(text), charCodesOf(wanted), 0, limit);
    if (text.startsWith(wanted, index)) offsets.push(index);
  }
  return offsets;
}

function charCodesOf(text: string): Int32Array {
  const codes = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index);
  return codes;
}
