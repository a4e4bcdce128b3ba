/**
 * Gives a replacement the file's indentation when the passage it replaces was written with another one.
 * Each new line is placed relative to the old line it stands for, in the file's own unit.
 */
import { indentOf, isBlank } from './folding.ts';

/** Columns that one tab and one level of spaces stand for, where the lines themselves do not tell. */
const DEFAULT_UNIT_COLUMNS = 4;

/**
 * `newLines` as if they had been written for the file, whose lines `own` the lines `old` are, white space apart, line by line.
 * `written` are lines that show the unit in which the new ones are indented, `around` those of the file.
 */
export function reindent(
  newLines: readonly string[],
  lines: Record<'old' | 'own' | 'written' | 'around', readonly string[]>,
): string[] {
  const old = unitOf(lines.written);
  const file = unitOf(lines.around);
  const units = { old: old ?? spaces(file?.columns), file: file ?? spaces(old?.columns) };
  const reference = alignment(newLines, lines.old, lines.own);
  return newLines.map((line, index) => {
    if (isBlank(line)) return '';
    const pair = reference(index);
    return pair ? moved(indentOf(line), pair, units) + line.slice(indentOf(line).length) : line;
  });
}

interface IndentPair {
  old: string;
  file: string;
}
/** One level of indentation. */
export interface Unit {
  text: string;
  columns: number;
}
interface Units {
  old: Unit;
  file: Unit;
}

/** For a new line the indentations of the old line that it stands for: same beginning, same end, the rest in order. */
function alignment(
  newLines: readonly string[],
  oldLines: readonly string[],
  fileLines: readonly string[],
): (index: number) => IndentPair | undefined {
  const shorter = Math.min(newLines.length, oldLines.length);
  const same = (a?: string, b?: string): boolean => a?.trim() === b?.trim();
  let head = 0;
  while (head < shorter && same(newLines[head], oldLines[head])) head++;
  let tail = 0;
  while (tail < shorter - head && same(newLines.at(-1 - tail), oldLines.at(-1 - tail))) tail++;
  return (index) => {
    const fromEnd = newLines.length - 1 - index;
    const old = fromEnd < tail ? oldLines.length - 1 - fromEnd : Math.min(index, oldLines.length - 1 - tail);
    return indentsNear(old, oldLines, fileLines);
  };
}

/** Those of the nearest line before (or else after) `at` that is not blank: blank lines have no indentation. */
function indentsNear(
  at: number,
  oldLines: readonly string[],
  fileLines: readonly string[],
): IndentPair | undefined {
  const usable = (line: number): boolean => !isBlank(oldLines[line] ?? '') && !isBlank(fileLines[line] ?? '');
  let line = Math.max(0, at);
  while (line > 0 && !usable(line)) line--;
  while (line < oldLines.length && !usable(line)) line++;
  const old = oldLines[line];
  const file = fileLines[line];
  return old === undefined || file === undefined ? undefined : { old: indentOf(old), file: indentOf(file) };
}

function moved(indent: string, pair: IndentPair, units: Units): string {
  return pair.old === pair.file ? indent : movedIndent(indent, pair, units);
}

/** The indent that takes the place of `indent` when `pair.old` is `pair.file`. */
export function movedIndent(indent: string, pair: IndentPair, units: Units): string {
  if (indent === pair.old) return pair.file;
  const levels = (columnsOf(indent, units.old) - columnsOf(pair.old, units.old)) / units.old.columns;
  if (levels > 0) {
    const whole = Math.floor(levels);
    const rest = Math.round((levels - whole) * units.old.columns);
    return pair.file + units.file.text.repeat(whole) + ' '.repeat(rest);
  }
  const kept = columnsOf(pair.file, units.file) + levels * units.file.columns;
  let shorter = pair.file;
  while (shorter !== '' && columnsOf(shorter, units.file) > kept) shorter = shorter.slice(0, -1);
  return shorter;
}

function columnsOf(indent: string, unit: Unit): number {
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? unit.columns : 1;
  return columns;
}

const spaces = (columns = DEFAULT_UNIT_COLUMNS): Unit => ({ text: ' '.repeat(columns), columns });

/** One level of indentation: a tab where tabs are used, else the most common step from a line to the next; undefined when no line is deeper than the one before it. */
export function unitOf(lines: readonly string[]): Unit | undefined {
  const indents = lines.filter((line) => !isBlank(line)).map(indentOf);
  if (indents.some((indent) => indent.includes('\t'))) return { text: '\t', columns: DEFAULT_UNIT_COLUMNS };
  const counts = new Map<number, number>();
  for (const [index, indent] of indents.entries()) {
    const step = indent.length - (indents[index - 1] ?? indent).length;
    // One column is alignment, not a level.
    if (step > 1) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const [mostCommon] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return mostCommon && spaces(mostCommon[0]);
}
