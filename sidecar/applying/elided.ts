/**
 * Puts back what an answer left out with a mark. Each mark stands for lines of the old text; the line before it and the
 * line after it must be found there in one place only. Undefined where they are not: what stands between is not guessed.
 */
import { lineSimilarity } from '../tools/editing/similarity.ts';
import { isMark } from './marks.ts';
import { assignedIn, lineFinder, trimmed, type FindLine } from './texts.ts';

/** How alike the one line is at least that stands for a line in other words, from 0 to 1; a shorter one tells too little. */
const LEAST_SIMILARITY = 0.6;
const MIN_LINE_CHARS = 6;
/** The same for the lines before the last one that is looked for. */
const LEAST_SIMILARITY_OF_REWRITTEN = 0.5;

/** Whether all that is inside of the definition is left out. */
export function isAllLeftOut(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= 1) return /\{\s*\/\*\s*(?:\.{3}|…).*\*\/\s*\}\s*;?\s*$/.test(text);
  const [, ...rest] = lines;
  const inner = rest.filter((line) => !/^\s*([})\]]+[;,]?|end)\s*$/.test(line));
  return inner.length > 0 && inner.every(isMark);
}

/** Marks of the new text that are no lines of the old one, nor such a line in other words. */
export function hasOwnMark(text: string, old: string): boolean {
  const countOf = (of: string): number => of.split('\n').filter(isMark).length;
  if (countOf(text) <= countOf(old)) return false;
  const known = new Set(old.split('\n').map((line) => line.trim()));
  return text.split('\n').some((line) => isMark(line) && !known.has(line.trim()));
}

/** The new text, with the old one's lines for its marks. */
export function withLeftOut(text: string, old: string): string | undefined {
  const oldLines = old.split('\n');
  const known = new Set(oldLines.map((line) => line.trim()));
  const parts = partsOf(text.split('\n'), (line) => isMark(line) && !known.has(line.trim()));
  const sought = { lines: oldLines, find: lineFinder(oldLines) };
  const merged: string[] = [];
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const place = placeOf(part, sought, position, {
      isFirst: index === 0,
      isLast: index === parts.length - 1,
    });
    if (!place) return undefined;
    merged.push(...oldLines.slice(position, place.from), ...part);
    position = place.to;
  }
  return merged.join('\n');
}

function partsOf(lines: readonly string[], isCut: (line: string) => boolean): string[][] {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (isCut(line)) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((part, index) => trimmed(part, { atStart: index > 0, atEnd: index < parts.length - 1 }));
}

interface Place {
  from: number;
  to: number;
}

/** The old text. */
interface Sought {
  lines: readonly string[];
  find: FindLine;
}

/** The old lines that a part stands for. */
function placeOf(
  part: readonly string[],
  sought: Sought,
  position: number,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Place | undefined {
  const { lines: old } = sought;
  if (part.length === 0)
    return isLast ? { from: old.length, to: old.length } : { from: position, to: position };
  const suffix = isLast && !isFirst ? suffixOf(part, old, position) : undefined;
  const from = isFirst ? 0 : (suffix ?? findAlike(sought, part[0], position));
  if (from === undefined) return undefined;
  if (isLast) return { from, to: old.length };
  const last = reachOf(part, sought, from) ?? (isFirst ? header(part, old) : undefined);
  return last === undefined ? undefined : { from, to: last + 1 };
}

/** Where it stands, be it in other words. */
function findAlike({ lines: old, find }: Sought, line = '', from = 0): number | undefined {
  const same = find(line, from);
  const text = line.trim();
  if (same !== undefined || text.length < MIN_LINE_CHARS) return same;
  const alike = old.flatMap((each, at) =>
    at >= from && lineSimilarity(each.trim(), text) >= LEAST_SIMILARITY ? [at] : [],
  );
  return alike.length === 1 ? alike[0] : undefined;
}

/**
 * The last old line that the part stands for. A line of it that happens to read like a later old one (`}`, `return None`) is
 * not its end while lines before that one are missing: what follows the last line that is found so is new.
 */
function reachOf(part: readonly string[], sought: Sought, from: number): number | undefined {
  const { lines: old, find } = sought;
  for (let index = part.length - 1; index >= 0; index -= 1) {
    const found = findAlike(sought, part[index], from);
    if (found === undefined || !isRewritten(old.slice(from, found + 1), part.slice(0, index + 1))) continue;
    const following = part.slice(index + 1);
    // Brackets that close it stand in many places, and also right behind it.
    const own = following.findIndex((line, offset) => line.trim() !== old[found + 1 + offset]?.trim());
    const at = found + (own < 0 ? following.length : own);
    const added = own < 0 ? [] : following.slice(own);
    if (added.length === 0) return at;
    // The next line is there too: what stands between was taken out.
    if (find(added[0], at + 1) !== undefined) break;
    const later = new Set(old.slice(at + 1).flatMap(assignedIn));
    return added.flatMap(assignedIn).some((name) => later.has(name)) ? undefined : at;
  }
  return find(part.at(-1), from);
}

/** Where the part is the end of the old text. */
function suffixOf(part: readonly string[], old: readonly string[], position: number): number | undefined {
  const from = old.length - part.length;
  const matches = from >= position && part.every((line, index) => line.trim() === old[from + index]?.trim());
  return matches ? from : undefined;
}

/** A changed signature stands for the old one when it is all that comes before the mark. */
function header(part: readonly string[], old: readonly string[]): number | undefined {
  const opens = (line: string | undefined): boolean => /[{:(]\s*$|\bdo\b.*$|=>\s*$/.test(line ?? '');
  const code = part.filter((line) => line.trim() !== '');
  const isOnlyHeader =
    opens(code.at(-1)) && code.slice(0, -1).every((line) => !opens(line) || /^\s*[@#/*]/.test(line));
  const end = old.findIndex(opens);
  return isOnlyHeader && end >= 0 ? end : undefined;
}

/** Whether all lines of the old text are in the new one in their order, be it in other words; one line stands for one. */
function isRewritten(old: readonly string[], given: readonly string[]): boolean {
  const lines = given.map((line) => line.trim()).filter(Boolean);
  let next = 0;
  for (const line of old.map((each) => each.trim()).filter(Boolean)) {
    const same = lines.indexOf(line, next);
    const isAlike = (each: string, at: number): boolean =>
      at >= next && lineSimilarity(line, each) >= LEAST_SIMILARITY_OF_REWRITTEN;
    const found = same >= 0 ? same : lines.findIndex(isAlike);
    if (found < 0) return false;
    next = found + 1;
  }
  return true;
}
