/**
 * Puts a part of a file that no grammar reads into it: settings, data, prose. The part begins and ends with lines which the
 * file has once, or is what a heading heads; what it does not reach stays as it is.
 */
import { extname } from 'node:path';
import { parseDocument } from 'yaml';
import { kindOf } from './answer-blocks.ts';
import { hasOwnMark, withLeftOut } from './elided.ts';
import { lineFinder, trimmed } from './texts.ts';
import { sharedLines } from './whole-file.ts';

/** Share of the old lines that their replacement must keep to be meant for them. */
const KEPT_SHARE = 0.6;

/** Kinds of texts by the names that files and fences have for them. */
const KINDS = [['md', 'markdown', 'mdx'], ['json'], ['yaml', 'yml'], ['toml'], ['ini', 'cfg', 'conf']];

/** Whether what stands behind a fence names the kind of file that this one is. */
export const isTextOfInfo = (info: string, path: string): boolean =>
  KINDS.some((names) => names.includes(kindOf(info)) && names.includes(extname(path).slice(1).toLowerCase()));

/** The file with the part in it; undefined where its place is not certain, or data would be none any more. */
export function mergeText(path: string, before: string, part: string): string | undefined {
  const after = hasOwnMark(part, before) ? withLeftOut(part, before) : withPart(before, part);
  const isBroken = after !== undefined && isData(path, before) && !isData(path, after);
  return isBroken ? undefined : after;
}

function withPart(before: string, part: string): string | undefined {
  const old = before.split('\n');
  const lines = trimmed(part.split('\n'));
  const find = lineFinder(old);
  const from = find(lines[0]);
  if (from === undefined) return undefined;
  const last = find(lines.at(-1), from);
  const ends = [last === undefined ? from : last + 1, endOfSection(old, from)];
  const end = ends.find(
    (to) => to > from && sharedLines(old.slice(from, to).join('\n'), lines.join('\n')) >= KEPT_SHARE,
  );
  return end === undefined ? undefined : [...old.slice(0, from), ...lines, ...old.slice(end)].join('\n');
}

/** Where what a heading heads ends, without blank lines; the line itself where it is no heading. */
function endOfSection(lines: readonly string[], from: number): number {
  const level = /^#+(?= )/u.exec(lines[from] ?? '')?.[0].length ?? 0;
  if (level === 0) return from;
  const next = lines.findIndex(
    (line, at) => at > from && (/^#+(?= )/u.exec(line)?.[0].length ?? Infinity) <= level,
  );
  return from + trimmed(lines.slice(from, next < 0 ? undefined : next)).length;
}

/** Whether a text is what its file's name says; other files hold anything. */
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
