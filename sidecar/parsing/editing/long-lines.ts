/** Shortens long lines for the model and marks the omitted text on each side. */

/** Returns at most `maxChars` of a line, around the character `column`. */
export function excerptAround(line: string, column: number, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const start = excerptStartOf(line, column, maxChars);
  const end = start + maxChars;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

/** Returns the start of a part of `maxChars` around the character `column`. A third of the part stands before `column`. */
export const excerptStartOf = ({ length }: string, column: number, maxChars: number): number =>
  Math.max(0, Math.min(column - Math.floor(maxChars / 3), length - maxChars));
