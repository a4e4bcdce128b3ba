/** Long lines as a model is shown them: the part that matters, with a mark on each side where something was left out. */

/** At most `maxChars` of a line, around the character `at`. */
export function partOfLine(line: string, at: number, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const start = startOfPart(line, at, maxChars);
  const end = start + maxChars;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

/** Where the part of a line begins that `maxChars` around the character `at` are; a third of them stands before it. */
export const startOfPart = ({ length }: string, at: number, maxChars: number): number =>
  Math.max(0, Math.min(at - Math.floor(maxChars / 3), length - maxChars));
