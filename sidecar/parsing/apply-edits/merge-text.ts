/**
 * Merges a part of a file that has no grammar: settings, data, prose. The part replaces the lines between its
 * first and its last line, which must be unique in the file.
 */
import { parseDocument } from 'yaml';
import { hasNewMark, restoreElided } from './elided.ts';
import { createLineFinder, trimBlankLines } from './texts.ts';
import { measureSharedLines } from './whole-file.ts';

/** Minimum share of the old lines that their replacement must contain. */
const MIN_KEPT_SHARE = 0.6;

/**
 * Returns the file with the part merged in. Returns undefined if its place is uncertain or the data would no
 * longer parse.
 */
export function mergeText(path: string, before: string, part: string): string | undefined {
  const after = hasNewMark(part, before) ? restoreElided(part, before) : replacePart(before, part);
  const isBroken = after !== undefined && parsesAsData(path, before) && !parsesAsData(path, after);
  return isBroken ? undefined : after;
}

function replacePart(before: string, part: string): string | undefined {
  const old = before.split('\n');
  const lines = trimBlankLines(part.split('\n'));
  const findLine = createLineFinder(old);
  const from = findLine(lines[0]);
  if (from === undefined) return undefined;
  const last = findLine(lines.at(-1), from);
  if (last === undefined) return undefined;
  const share = measureSharedLines(old.slice(from, last + 1).join('\n'), lines.join('\n'));
  return share < MIN_KEPT_SHARE
    ? undefined
    : [...old.slice(0, from), ...lines, ...old.slice(last + 1)].join('\n');
}

/** Whether a text parses as JSON or YAML. True for files of other kinds. */
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
