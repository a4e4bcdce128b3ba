/** Limit of characters to drop so that an end is cut at a line. */
const MAX_LINE_CHARS = 200;

/** Replaces the middle of a text beyond `maxChars` by a note, which is added on top. Linear in the text. */
export function withoutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, headEnd(text, half));
  const tail = text.slice(tailStart(text, text.length - half));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

function headEnd(text: string, most: number): number {
  const end = text.lastIndexOf('\n', most);
  return end > 0 && end >= most - MAX_LINE_CHARS ? end : most;
}

function tailStart(text: string, least: number): number {
  const end = text.indexOf('\n', least - 1);
  return end !== -1 && end < Math.min(least + MAX_LINE_CHARS, text.length - 1) ? end + 1 : least;
}
