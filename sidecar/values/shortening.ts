/** Texts made shorter; no surrogate pair is split. */

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** The first `chars` characters, one less where the cut would split a surrogate pair. */
export const headOf = (text: string, chars: number): string =>
  text.slice(0, isHighSurrogate(text.charCodeAt(chars - 1)) ? chars - 1 : chars);

/** The last `chars` characters, one less where the cut would split a surrogate pair. */
export function tailOf(text: string, chars: number): string {
  const start = Math.max(0, text.length - chars);
  return text.slice(start > 0 && isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start);
}

/** At most `maxChars` characters, with a mark where there were more. */
export const shorten = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${headOf(text, Math.max(0, maxChars - 1))}…`;

/** One line of at most `maxChars` characters. */
export const clip = (text: string, maxChars: number): string =>
  shorten(text.replaceAll(/\s+/g, ' ').trim(), maxChars);

/**
 * A text that is longer than `maxChars` by its two ends, `headChars` of it at the beginning; `mark` makes the note between them
 * of the number of characters that are left out, which comes on top.
 */
export function endsOf(
  text: string,
  maxChars: number,
  mark: (removedChars: number) => string,
  headChars = Math.floor(maxChars / 2),
): string {
  if (text.length <= maxChars) return text;
  const [head, tail] = [headOf(text, headChars), tailOf(text, maxChars - headChars)];
  return head + mark(text.length - head.length - tail.length) + tail;
}

/** Names behind each other, and how many more there are than `most`. */
export const named = (names: readonly string[], most: number): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');

/** The first of the lines that there is room for; by default a line costs its characters and its line break. */
export function linesWithin(
  lines: readonly string[],
  room: number,
  costOf = (line: string): number => line.length + 1,
): string[] {
  let left = room;
  const end = lines.findIndex((line) => (left -= costOf(line)) < 0);
  return lines.slice(0, end < 0 ? undefined : end);
}
