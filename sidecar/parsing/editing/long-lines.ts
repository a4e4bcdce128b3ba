/** Shortens long lines for the model and marks the omitted text on each side. */

/** Returns at most `maxChars` of a line, around the character `at`. */
export function partOfLine(line: string, at: number, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const start = startOfPart(line, at, maxChars);
  const end = start + maxChars;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

/**
 * Returns the start of the part of `maxChars` around the character `at`. A third of the part is before `at`.
 */
export const startOfPart = ({ length }: string, at: number, maxChars: number): number =>
  Math.max(0, Math.min(at - Math.floor(maxChars / 3), length - maxChars));
