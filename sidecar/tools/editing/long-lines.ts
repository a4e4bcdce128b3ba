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

/** How many characters two texts begin with alike. */
export function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** How many characters two texts end with alike. */
export function sharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}
