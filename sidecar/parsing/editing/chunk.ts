/**
 * Represents a hunk: context, removed and added lines. Context lines keep the text of the file. Added lines take the file's indentation if
 * the hunk's old lines are indented differently. Pure.
 */
import { diffArrays } from 'diff';
import type { LineChange } from './changed-lines.ts';
import { indentOf, isBlank } from './folding.ts';
import { reindent } from './reindent.ts';

export interface ChunkLine {
  kind: ' ' | '-' | '+';
  text: string;
}

/** Maximum number of differing lines that are diffed, because diffing takes O(lines × differences). */
const MAX_DIFFERENT_LINES = 200;

/** Returns the hunk that changes the old lines to the new ones. */
export function chunkOf(oldLines: readonly string[], newLines: readonly string[]): ChunkLine[] {
  const parts = diffArrays([...oldLines], [...newLines], { maxEditLength: MAX_DIFFERENT_LINES }) ?? [
    { removed: true, added: false, value: oldLines },
    { removed: false, added: true, value: newLines },
  ];
  return parts.flatMap(({ removed, added, value }) =>
    value.map((text): ChunkLine => ({ kind: removed ? '-' : added ? '+' : ' ', text })),
  );
}

/** Returns the context and removed lines of a hunk. */
export const listOldLines = (lines: readonly ChunkLine[]): string[] =>
  lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);

/** Returns the changes of a file's lines for a hunk whose old lines begin at `start`. */
export function toLineChanges(
  chunk: readonly ChunkLine[],
  start: number,
  file: readonly string[],
): LineChange[] {
  const changes: { start: number; end: number; lines: string[] }[] = [];
  let line = start;
  let openChange: { start: number; end: number; lines: string[] } | undefined;
  for (const { kind, text } of chunk) {
    if (kind === ' ') {
      openChange = undefined;
      line++;
      continue;
    }
    if (!openChange) changes.push((openChange = { start: line, end: line, lines: [] }));
    if (kind === '-') openChange.end = ++line;
    else openChange.lines.push(text);
  }
  return changes.map((change) => fitIndentation(change, { chunk, start, file }));
}

/** Number of lines before and after a change that determine the file's indentation. */
const LINES_AROUND = 100;

/** Re-indents added lines like the lines of the file that they replace or follow. */
function fitIndentation(
  change: LineChange,
  { chunk, start, file }: { chunk: readonly ChunkLine[]; start: number; file: readonly string[] },
): LineChange {
  const block = listOldLines(chunk);
  const relativeStart = change.start - start;
  const relativeEnd = change.end - start;
  const nearestLine = relativeStart === relativeEnd ? findNearestLine(block, relativeStart) : undefined;
  const [first, end] =
    nearestLine === undefined ? [relativeStart, relativeEnd] : [nearestLine, nearestLine + 1];
  const oldLines = block.slice(first, end);
  const fileLines = file.slice(start + first, start + end);
  const isAsInFile = oldLines.every(
    (line, index) => isBlank(line) || indentOf(line) === indentOf(fileLines[index] ?? ''),
  );
  if (isAsInFile || change.lines.length === 0 || hasFileIndent(change.lines, fileLines)) return change;
  const surroundingLines = file.slice(Math.max(0, start - LINES_AROUND), start + block.length + LINES_AROUND);
  const hunkLines = [...block, ...chunk.filter(({ kind }) => kind !== '-').map(({ text }) => text)];
  return {
    ...change,
    lines: reindent(change.lines, {
      old: oldLines,
      own: fileLines,
      written: hunkLines,
      around: surroundingLines,
    }),
  };
}

/** Returns whether the added lines already have the file's indentation. If so, only the old lines of the hunk are indented wrongly. */
function hasFileIndent(added: readonly string[], fileLines: readonly string[]): boolean {
  const indents = added.filter((line) => !isBlank(line)).map(indentOf);
  const line = fileLines.find((fileLine) => !isBlank(fileLine));
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? '');
  return line === undefined || indents.length === 0 || shortest === indentOf(line);
}

/** Returns the last non-blank line before `index`, or else the first one after it. */
function findNearestLine(block: readonly string[], position: number): number | undefined {
  const indexBefore = block.slice(0, position).findLastIndex((line) => !isBlank(line));
  if (indexBefore >= 0) return indexBefore;
  const indexAfter = block.findIndex((line, index) => index >= position && !isBlank(line));
  return indexAfter < 0 ? undefined : indexAfter;
}
