/**
 * Merges a part of a file that has no grammar: settings, data, prose. The part replaces the lines from its first to its last line, both of
 * which must be unique in the file.
 */
import { parseDocument } from 'yaml';
import { hasNewMark, restoreElided } from './restore-elided.ts';
import { createLineFinder, trimBlankLines } from './code-text.ts';
import { measureSharedLines } from './whole-file.ts';

/** Minimum share of the old lines that their replacement must contain. */
const MIN_SHARED_LINES_RATIO = 0.6;

/**
 * Returns the file with the part merged in. Returns undefined if the place of the part is uncertain, or if the data would no longer parse.
 */
export function mergeText(path: string, text: string, part: string): string | undefined {
  const mergedText = hasNewMark(part, text) ? restoreElided(part, text) : replacePart(text, part);
  const isBroken = mergedText !== undefined && parsesAsData(path, text) && !parsesAsData(path, mergedText);
  return isBroken ? undefined : mergedText;
}

function replacePart(text: string, part: string): string | undefined {
  const oldLines = text.split('\n');
  const lines = trimBlankLines(part.split('\n'));
  const findLine = createLineFinder(oldLines);
  const firstIndex = findLine(lines[0]);
  if (firstIndex === undefined) return undefined;
  const last = findLine(lines.at(-1), firstIndex);
  if (last === undefined) return undefined;
  const share = measureSharedLines(oldLines.slice(firstIndex, last + 1).join('\n'), lines.join('\n'));
  return share < MIN_SHARED_LINES_RATIO
    ? undefined
    : [...oldLines.slice(0, firstIndex), ...lines, ...oldLines.slice(last + 1)].join('\n');
}

/** Returns whether a text parses as JSON or YAML; true for files of other kinds. */
function parsesAsData(path: string, text: string): boolean {
  if (/\.ya?ml$/iu.test(path)) return parseDocument(text).errors.length === 0;
  if (!/\.json$/iu.test(path)) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
