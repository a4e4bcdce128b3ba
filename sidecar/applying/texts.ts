/** Questions about code that need no grammar. */

export const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '');
export const wordsOf = (text: string): string[] => text.match(/[\w$]+/gu) ?? [];

/** Those that hold something, without white space at their ends. */
export const filledLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Answers for parts whether they stand in the text, white space aside; the text is read once for all of them. */
export function partsOf(text: string): (part: string) => boolean {
  const whole = folded(text);
  return (part) => text.includes(part.trim()) || whole.includes(folded(part));
}

/** Without comments and texts; one of Python's that begins with a letter holds code. */
export const withoutProse = (text: string): string => text.replaceAll(PROSE, ' ');
const PROSE =
  /(?<!\w)("""|''')[^]*?\1|\/\*[^]*?\*\/|(?<!\w)"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)*'|(?:\/\/|#(?!\w+[ (=.;])).*/gu;

/** Whether the name is used otherwise than as a member. */
export const isUsed = (text: string, name: string): boolean =>
  /^[\w$]+$/.test(name) &&
  new RegExp(`(?<![\\w$.])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`).test(text);

/** Gives the index, not before `from`, of the one line that reads so; white space at its ends counts only between several. */
export function lineFinder(lines: readonly string[]): (line?: string, from?: number) => number | undefined {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const known = places.get(line.trim());
    if (known) known.push(at);
    else if (line.trim() !== '') places.set(line.trim(), [at]);
  }
  return (line = '', from = 0) => {
    const same = (places.get(line.trim()) ?? []).filter((at) => at >= from);
    const found = same.length > 1 ? same.filter((at) => lines[at] === line) : same;
    return found.length === 1 ? found[0] : undefined;
  };
}

/** The rest of the line behind a place: a comma, a remark; empty where code follows. */
export function restOfLine(text: string, from: number): string {
  const rest = /.*/u.exec(text.slice(from))?.[0].trimEnd() ?? '';
  return /^[ \t]*[,;]?[ \t]*(?:(?:\/\/|#).*|\/\*.*\*\/)?$/u.test(rest) ? rest : '';
}

/** The lines without blank ones at their ends. */
export function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
