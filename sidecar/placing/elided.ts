/**
 * Puts back what an answer left out with a mark. Each mark stands for lines of the old text; the line before it and the
 * line after it must be found there in one place only. Undefined where they are not: what stands between is not guessed.
 */
import { isMark } from './marks.ts';
import { lineFinder, trimmed, type FindLine } from './texts.ts';

/** Whether all that is inside of the definition is left out. */
export function isAllLeftOut(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= 1) return /\{\s*\/\*\s*(?:\.{3}|…).*\*\/\s*\}\s*;?\s*$/.test(text);
  const [, ...rest] = lines;
  const inner = rest.filter((line) => !/^\s*([})\]]+[;,]?|end)\s*$/.test(line));
  return inner.length > 0 && inner.every(isMark);
}

/** Marks of the new text that are no lines of the old one. */
export function hasOwnMark(text: string, old: string): boolean {
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

/** The old lines that a part stands for. */
function placeOf(
  part: readonly string[],
  { lines: old, find }: { lines: readonly string[]; find: FindLine },
  position: number,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Place | undefined {
  if (part.length === 0)
    return isLast ? { from: old.length, to: old.length } : { from: position, to: position };
  const from = isFirst
    ? 0
    : isLast
      ? (suffixOf(part, old, position) ?? find(part[0], position))
      : find(part[0], position);
  if (from === undefined) return undefined;
  if (isLast) return { from, to: old.length };
  const last = find(part.at(-1), from) ?? (isFirst ? header(part, old) : undefined);
  return last === undefined ? undefined : { from, to: last + 1 };
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
