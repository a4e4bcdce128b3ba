/**
 * Merges a part of a file that no grammar reads: settings, data, prose. The part replaces the lines between its first
 * and its last line, which must be unique in the file, or the section of its heading.
 */
import { extname } from 'node:path';
import { parseDocument } from 'yaml';
import { kindOf } from './answer-blocks.ts';
import { hasOwnMark, restoreElided } from './elided.ts';
import { lineFinder, trimBlankLines } from './texts.ts';
import { sharedLines } from './whole-file.ts';

/** Minimum share of the old lines that their replacement must retain. */
const MIN_KEPT_SHARE = 0.6;

/** Names that files and fences use for each kind of text. */
const KINDS = [['md', 'markdown', 'mdx'], ['json'], ['yaml', 'yml'], ['toml'], ['ini', 'cfg', 'conf']];

/** Whether the fence's info names the kind of this file. */
export const isTextOfInfo = (info: string, path: string): boolean =>
  KINDS.some((names) => names.includes(kindOf(info)) && names.includes(extname(path).slice(1).toLowerCase()));

/** Returns the file with the part merged in; undefined if its place is uncertain or the data would no longer parse. */
export function mergeText(path: string, before: string, part: string): string | undefined {
  const after = hasOwnMark(part, before) ? restoreElided(part, before) : replacePart(before, part);
  const isBroken = after !== undefined && isData(path, before) && !isData(path, after);
  return isBroken ? undefined : after;
}

function replacePart(before: string, part: string): string | undefined {
  const old = before.split('\n');
  const lines = trimBlankLines(part.split('\n'));
  const find = lineFinder(old);
  const from = find(lines[0]);
  if (from === undefined) return undefined;
  const last = find(lines.at(-1), from);
  const ends = [last === undefined ? from : last + 1, endOfSection(old, from)];
  const end = ends.find(
    (to) => to > from && sharedLines(old.slice(from, to).join('\n'), lines.join('\n')) >= MIN_KEPT_SHARE,
  );
  return end === undefined ? undefined : [...old.slice(0, from), ...lines, ...old.slice(end)].join('\n');
}

/** Returns the end of a heading's section without trailing blank lines; `from` if the line is no heading. */
function endOfSection(lines: readonly string[], from: number): number {
  const level = /^#+(?= )/u.exec(lines[from] ?? '')?.[0].length ?? 0;
  if (level === 0) return from;
  const next = lines.findIndex(
    (line, at) => at > from && (/^#+(?= )/u.exec(line)?.[0].length ?? Infinity) <= level,
  );
  return from + trimBlankLines(lines.slice(from, next < 0 ? undefined : next)).length;
}

/** Whether JSON or YAML parses; true for other files. */
function isData(path: string, text: string): boolean {
  if (/\.ya?ml$/iu.test(path)) return parseDocument(text).errors.length === 0;
  if (!/\.json$/iu.test(path)) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
