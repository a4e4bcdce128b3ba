/** Shortens texts without splitting surrogate pairs. */

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** Returns the first `chars` characters, or one fewer to avoid splitting a surrogate pair. */
export const headOf = (text: string, chars: number): string =>
  text.slice(0, isHighSurrogate(text.charCodeAt(chars - 1)) ? chars - 1 : chars);

/** Returns the last `chars` characters, or one fewer to avoid splitting a surrogate pair. */
export function tailOf(text: string, chars: number): string {
  const start = Math.max(0, text.length - chars);
  return text.slice(start > 0 && isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start);
}

/** Returns at most `maxChars` characters of a text, with a mark at the end if the text was longer. */
export const shorten = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${headOf(text, Math.max(0, maxChars - 1))}…`;

/** Replaces each run of white space by one space, and returns at most `maxChars` characters. */
export const clip = (text: string, maxChars: number): string =>
  shorten(text.replaceAll(/\s+/g, ' ').trim(), maxChars);

/**
 * Shortens a text to `maxChars` by removing its middle. The first part has `headChars`. `mark` returns the note between the parts for a
 * number of removed characters; the note is not counted.
 */
export function shortenMiddle(
  text: string,
  maxChars: number,
  mark: (removedChars: number) => string,
  headChars = Math.floor(maxChars / 2),
): string {
  if (text.length <= maxChars) return text;
  const [head, tail] = [headOf(text, headChars), tailOf(text, maxChars - headChars)];
  return head + mark(text.length - head.length - tail.length) + tail;
}

/** Joins at most `maxNames` names, and adds the number of the other names. */
export const listNames = (names: readonly string[], maxNames: number): string =>
  names.slice(0, maxNames).join(', ') +
  (names.length > maxNames ? ` and ${names.length - maxNames} more` : '');

/** Returns the first lines whose total cost is at most `maxCost`. By default the cost of a line is its length plus a line break. */
export function fitLines(
  lines: readonly string[],
  maxCost: number,
  costOf = (line: string): number => line.length + 1,
): string[] {
  let remaining = maxCost;
  const end = lines.findIndex((line) => (remaining -= costOf(line)) < 0);
  return lines.slice(0, end < 0 ? undefined : end);
}
