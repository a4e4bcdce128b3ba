/**
 * Counting line ends fast: four bytes at a time, since a call per line into native code is too slow for files
 * of many millions of lines.
 */
const NEWLINE = 0x0a;
const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
const ONES = 0x01010101;
/** Words summed before the four counters of one byte each could overflow; a multiple of the four in one step. */
const WORDS_PER_SUM = 252;

/** The number of newline bytes. */
export function countNewlines(bytes: Uint8Array): number {
  let at = 0;
  let count = 0;
  const alignedFrom = Math.min(bytes.length, (4 - (bytes.byteOffset & 3)) & 3);
  for (; at < alignedFrom; at += 1) if (bytes[at] === NEWLINE) count += 1;
  const wordCount = (bytes.length - at) >> 2;
  // A typed array must be aligned even when it is empty.
  if (wordCount > 0) count += countInWords(new Uint32Array(bytes.buffer, bytes.byteOffset + at, wordCount));
  for (at += wordCount * 4; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}

function countInWords(words: Uint32Array): number {
  const stepsEnd = words.length - (words.length % 4);
  let count = 0;
  for (let start = 0; start < stepsEnd; start += WORDS_PER_SUM) {
    const end = Math.min(stepsEnd, start + WORDS_PER_SUM);
    let sums = 0;
    // Four words a step: the loop itself would cost as much as the counting.
    for (let at = start; at < end; at += 4) {
      const a = (words[at] as number) ^ NEWLINES;
      const b = (words[at + 1] as number) ^ NEWLINES;
      const c = (words[at + 2] as number) ^ NEWLINES;
      const d = (words[at + 3] as number) ^ NEWLINES;
      sums = (sums + (zeroBytes(a) + zeroBytes(b) + zeroBytes(c) + zeroBytes(d))) | 0;
    }
    count += sumOfBytes(sums);
  }
  for (let at = stepsEnd; at < words.length; at += 1) {
    count += sumOfBytes(zeroBytes((words[at] as number) ^ NEWLINES));
  }
  return count;
}

/** A word with a one in each byte that was zero. */
function zeroBytes(word: number): number {
  return (~(((word & LOW_BITS) + LOW_BITS) | word) >>> 7) & ONES;
}

function sumOfBytes(word: number): number {
  return (word & 0xff) + ((word >>> 8) & 0xff) + ((word >>> 16) & 0xff) + (word >>> 24);
}

const BLOCK_BYTES = 64 * 1024;

/** Index of the `n`th newline (from 1) or -1, and how many were found, `n` at most. */
export function findNthNewline(bytes: Uint8Array, n: number): { index: number; found: number } {
  let found = 0;
  let block = 0;
  for (; block < bytes.length; block += BLOCK_BYTES) {
    const inBlock = countNewlines(bytes.subarray(block, block + BLOCK_BYTES));
    if (found + inBlock >= n) break;
    found += inBlock;
  }
  if (block >= bytes.length) return { index: -1, found };
  let index = block - 1;
  while (found < n) {
    index = bytes.indexOf(NEWLINE, index + 1);
    found += 1;
  }
  return { index, found };
}
