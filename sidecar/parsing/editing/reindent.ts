/**
 * Adapts a replacement to the file's indentation if the replaced passage was indented differently in the edit. Each new line is indented
 * relative to the old line that it replaces, in the file's own unit.
 */
import { indentOf, isBlank } from './folding.ts';

/** Default number of columns of a tab or of one level of spaces. */
const DEFAULT_UNIT_COLUMNS = 4;

/**
 * Re-indents `newLines` for the file. `old`: lines of the edit's passage. `own`: the file's lines that match them, except for white space.
 * `written`: lines that show the indentation unit of the new lines. `around`: lines that show the file's unit.
 */
export function reindent(
  newLines: readonly string[],
  lines: Record<'old' | 'own' | 'written' | 'around', readonly string[]>,
): string[] {
  const old = unitOf(lines.written);
  const file = unitOf(lines.around);
  const units = { old: old ?? createSpaceUnit(file?.columns), file: file ?? createSpaceUnit(old?.columns) };
  const findPair = alignIndents(newLines, lines.old, lines.own);
  return newLines.map((line, index) => {
    if (isBlank(line)) return '';
    const pair = findPair(index);
    return pair ? moveIndent(indentOf(line), pair, units) + line.slice(indentOf(line).length) : line;
  });
}

interface IndentPair {
  old: string;
  file: string;
}
export interface IndentUnit {
  text: string;
  columns: number;
}
interface IndentUnits {
  old: IndentUnit;
  file: IndentUnit;
}

/**
 * Returns a function that maps each new line to the indentation of its old line. Lines are paired at equal beginnings and ends first; the
 * others in order.
 */
function alignIndents(
  newLines: readonly string[],
  oldLines: readonly string[],
  fileLines: readonly string[],
): (index: number) => IndentPair | undefined {
  const shorter = Math.min(newLines.length, oldLines.length);
  const areEqual = (a?: string, b?: string): boolean => a?.trim() === b?.trim();
  let head = 0;
  while (head < shorter && areEqual(newLines[head], oldLines[head])) head++;
  let tail = 0;
  while (tail < shorter - head && areEqual(newLines.at(-1 - tail), oldLines.at(-1 - tail))) tail++;
  return (index) => {
    const fromEnd = newLines.length - 1 - index;
    const oldIndex =
      fromEnd < tail ? oldLines.length - 1 - fromEnd : Math.min(index, oldLines.length - 1 - tail);
    return findIndentsNear(oldIndex, oldLines, fileLines);
  };
}

/** Returns the indentation of the nearest non-blank line before `index`, or else of the nearest one after it. */
function findIndentsNear(
  index: number,
  oldLines: readonly string[],
  fileLines: readonly string[],
): IndentPair | undefined {
  const selectUsable = (line: number): boolean =>
    !isBlank(oldLines[line] ?? '') && !isBlank(fileLines[line] ?? '');
  let line = Math.max(0, index);
  while (line > 0 && !selectUsable(line)) line--;
  while (line < oldLines.length && !selectUsable(line)) line++;
  const old = oldLines[line];
  const file = fileLines[line];
  return old === undefined || file === undefined ? undefined : { old: indentOf(old), file: indentOf(file) };
}

function moveIndent(indent: string, pair: IndentPair, units: IndentUnits): string {
  return pair.old === pair.file ? indent : shiftIndent(indent, pair, units);
}

/** Returns the new form of `indent`, if the indentation `pair.old` becomes `pair.file`. */
export function shiftIndent(indent: string, pair: IndentPair, units: IndentUnits): string {
  if (indent === pair.old) return pair.file;
  const indentLevels = (columnsOf(indent, units.old) - columnsOf(pair.old, units.old)) / units.old.columns;
  if (indentLevels > 0) {
    const whole = Math.floor(indentLevels);
    const extraColumns = Math.round((indentLevels - whole) * units.old.columns);
    return pair.file + units.file.text.repeat(whole) + ' '.repeat(extraColumns);
  }
  const shiftedColumns = columnsOf(pair.file, units.file) + indentLevels * units.file.columns;
  let shorter = pair.file;
  while (shorter !== '' && columnsOf(shorter, units.file) > shiftedColumns) shorter = shorter.slice(0, -1);
  return shorter;
}

function columnsOf(indent: string, unit: IndentUnit): number {
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? unit.columns : 1;
  return columns;
}

const createSpaceUnit = (columns = DEFAULT_UNIT_COLUMNS): IndentUnit => ({
  text: ' '.repeat(columns),
  columns,
});

/**
 * Returns one level of indentation: a tab if any line is indented by one, or else the most common step between lines. Returns undefined if
 * there are no steps.
 */
export function unitOf(lines: readonly string[]): IndentUnit | undefined {
  const indents = lines.filter((line) => !isBlank(line)).map(indentOf);
  if (indents.some((indent) => indent.includes('\t'))) return { text: '\t', columns: DEFAULT_UNIT_COLUMNS };
  const counts = new Map<number, number>();
  for (const [index, indent] of indents.entries()) {
    const step = indent.length - (indents[index - 1] ?? indent).length;
    // A step of one column is alignment, not a level.
    if (step > 1) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const [mostCommon] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return mostCommon && createSpaceUnit(mostCommon[0]);
}
