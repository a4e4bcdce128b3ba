/** Bare diffs: lines behind `-` and `+` without a header that says where they stand. */
import { indentOf } from '../tools/editing/folding.ts';

export interface LineChange {
  removed: readonly string[];
  added: readonly string[];
}

const HEADER = /^(?:@@|diff |index |--- |\+\+\+ |\*\*\* )/;

/** Whether a block holds removed lines and nothing that names a file or a place. */
export function looksLikeLineDiff(info: string, text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    /^(?:diff|patch)\b/i.test(info) &&
    lines.some((line) => line.startsWith('-')) &&
    !lines.some((line) => HEADER.test(line))
  );
}

/** Each run of removed lines with what is added behind it; added lines without removed ones have no place. */
export function readLineDiff(text: string): LineChange[] {
  const found: { removed: string[]; added: string[] }[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const last = found.at(-1);
    if (line.startsWith('-')) {
      if (isOpen && last && last.added.length === 0) last.removed.push(line.slice(1));
      else found.push({ removed: [line.slice(1)], added: [] });
      isOpen = true;
    } else if (line.startsWith('+') && isOpen) last?.added.push(line.slice(1));
    else isOpen = false;
  }
  return found;
}

/** The text with the change in the one place that reads as the removed lines do, white space at their ends aside. */
export function applyLineChange(text: string, { removed, added }: LineChange): string | undefined {
  const lines = text.split('\n');
  const isHere = (at: number): boolean =>
    removed.every((line, offset) => lines[at + offset]?.trim() === line.trim());
  const [at, second] = lines.flatMap((_line, index) => (isHere(index) ? [index] : []));
  if (at === undefined || second !== undefined || removed.every((line) => line.trim() === ''))
    return undefined;
  const [first = ''] = removed;
  const margin = indentOf(first);
  const indent = indentOf(lines[at] ?? '');
  const ending = lines[at]?.endsWith('\r') ? '\r' : '';
  const written = added.map((line) => {
    const rest = line.startsWith(margin) ? line.slice(margin.length) : line.trimStart();
    return (rest.trim() === '' ? '' : indent + rest.trimEnd()) + ending;
  });
  return lines.toSpliced(at, removed.length, ...written).join('\n');
}
