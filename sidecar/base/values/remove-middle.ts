/** Maximum number of additional characters that are dropped so that a text is cut at a line break. */
const MAX_EXTRA_CHARS = 200;

/** Replaces the middle of a text that is longer than `maxChars` by a note, whose length is not counted. Linear in the text. */
export function removeMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, findHeadEnd(text, half));
  const tail = text.slice(findTailStart(text, text.length - half));
  return `${head}\n[… ${text.length - head.length - tail.length} characters omitted …]\n${tail}`;
}

function findHeadEnd(text: string, maxEnd: number): number {
  const end = text.lastIndexOf('\n', maxEnd);
  return end > 0 && end >= maxEnd - MAX_EXTRA_CHARS ? end : maxEnd;
}

function findTailStart(text: string, minStart: number): number {
  const end = text.indexOf('\n', minStart - 1);
  return end !== -1 && end < Math.min(minStart + MAX_EXTRA_CHARS, text.length - 1) ? end + 1 : minStart;
}
