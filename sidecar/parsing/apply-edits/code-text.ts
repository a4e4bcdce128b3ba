/** Text helpers for code that work without a grammar. */

export const collapseSpace = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '');
export const wordsOf = (text: string): string[] => text.match(/[\w$]+/gu) ?? [];

/** Returns the non-blank lines, trimmed. */
export const listFilledLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns a function that returns whether the text contains a part, regardless of white space. The text is prepared only once. */
export function createPartTest(text: string): (part: string) => boolean {
  const whole = collapseSpace(text);
  return (part) => text.includes(part.trim()) || whole.includes(collapseSpace(part));
}

/** Removes comments and strings. f-strings of Python and other strings with a prefix remain, because they may contain code. */
export const stripProse = (text: string): string => text.replaceAll(PROSE, ' ');
const PROSE =
  /(?<!\w)("""|''')[^]*?\1|\/\*[^]*?\*\/|(?<!\w)"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)*'|(?:\/\/|#(?!\w+[ (=.;])).*/gu;

/** Returns whether the text uses the name, other than as a member of an object. */
export const isUsed = (text: string, name: string): boolean =>
  /^[\w$]+$/.test(name) &&
  new RegExp(`(?<![\\w$.])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`).test(text);

/**
 * Returns a function that finds the only line at or after `from` that equals a given line. White space at both ends is compared only if
 * several lines match.
 */
export function createLineFinder(
  lines: readonly string[],
): (line?: string, from?: number) => number | undefined {
  const indexesByLine = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const indexes = indexesByLine.get(line.trim());
    if (indexes) indexes.push(index);
    else if (line.trim() !== '') indexesByLine.set(line.trim(), [index]);
  }
  return (line = '', from = 0) => {
    const equalLines = (indexesByLine.get(line.trim()) ?? []).filter((index) => index >= from);
    const matches = equalLines.length > 1 ? equalLines.filter((index) => lines[index] === line) : equalLines;
    return matches.length === 1 ? matches[0] : undefined;
  };
}

/** Returns the rest of the line after a position if it is only a comma or a comment; empty if code follows. */
export function readRestOfLine(text: string, offset: number): string {
  const lineEnd = /.*/u.exec(text.slice(offset))?.[0].trimEnd() ?? '';
  return /^[ \t]*[,;]?[ \t]*(?:(?:\/\/|#).*|\/\*.*\*\/)?$/u.test(lineEnd) ? lineEnd : '';
}

/** Returns the lines without blank lines at both ends. */
export function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Returns the similarity of two texts, from 0 to 1: Dice's coefficient over pairs of neighbouring characters. */
export function measureSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<number, number>();
  for (let index = 0; index < a.length - 1; index++) {
    const pair = readPairAt(a, index);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let index = 0; index < b.length - 1; index++) {
    const pair = readPairAt(b, index);
    const remainingCount = pairs.get(pair) ?? 0;
    if (remainingCount === 0) continue;
    shared++;
    pairs.set(pair, remainingCount - 1);
  }
  return (2 * shared) / (a.length + b.length - 2);
}

const readPairAt = (text: string, index: number): number =>
  text.charCodeAt(index) * 0x10000 + text.charCodeAt(index + 1);
