/**
 * Represents a hunk: context, removed and added lines. Context lines retain the file's own text. Added lines
 * take the file's indentation if the hunk's old lines are indented differently. Pure.
 */
import { diffArrays } from 'diff';
import type { LineChange } from './changed-lines.ts';
import { indentOf, isBlank } from './folding.ts';
import { reindent } from './reindent.ts';

export interface ChunkLine {
  kind: ' ' | '-' | '+';
  text: string;
}

/** Diffing is O(lines × differences). */
const MAX_DIFFERENT_LINES = 200;

/** Returns the hunk that changes the old lines to the new ones. */
export function chunkOf(old: readonly string[], now: readonly string[]): ChunkLine[] {
  const parts = diffArrays([...old], [...now], { maxEditLength: MAX_DIFFERENT_LINES }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return parts.flatMap(({ removed, added, value }) =>
    value.map((text): ChunkLine => ({ kind: removed ? '-' : added ? '+' : ' ', text })),
  );
}

/** Returns the context and removed lines of a hunk. */
export const listOldLines = (lines: readonly ChunkLine[]): string[] =>
  lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);

/** Returns the changes of a file's lines for a hunk whose old lines begin at `start`. */
export function changesAt(chunk: readonly ChunkLine[], start: number, file: readonly string[]): LineChange[] {
  const changes: { start: number; end: number; lines: string[] }[] = [];
  let at = start;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const { kind, text } of chunk) {
    if (kind === ' ') {
      open = undefined;
      at++;
      continue;
    }
    if (!open) changes.push((open = { start: at, end: at, lines: [] }));
    if (kind === '-') open.end = ++at;
    else open.lines.push(text);
  }
  return changes.map((change) => fitIndentation(change, { chunk, start, file }));
}

/** Number of lines on each side that determine the file's indentation. */
const LINES_AROUND = 100;

/** Re-indents added lines to match the lines of the file that they replace or follow. */
function fitIndentation(
  change: LineChange,
  { chunk, start, file }: { chunk: readonly ChunkLine[]; start: number; file: readonly string[] },
): LineChange {
  const block = listOldLines(chunk);
  const from = change.start - start;
  const to = change.end - start;
  const beside = from === to ? findNearestLine(block, from) : undefined;
  const [first, end] = beside === undefined ? [from, to] : [beside, beside + 1];
  const old = block.slice(first, end);
  const own = file.slice(start + first, start + end);
  const isAsInFile = old.every(
    (line, index) => isBlank(line) || indentOf(line) === indentOf(own[index] ?? ''),
  );
  if (isAsInFile || change.lines.length === 0 || hasFileIndent(change.lines, own)) return change;
  const around = file.slice(Math.max(0, start - LINES_AROUND), start + block.length + LINES_AROUND);
  const written = [...block, ...chunk.filter(({ kind }) => kind !== '-').map(({ text }) => text)];
  return { ...change, lines: reindent(change.lines, { old, own, written, around }) };
}

/**
 * Reports whether the added lines already have the file's depth. In that case only the old lines have a wrong
 * indentation.
 */
function hasFileIndent(added: readonly string[], own: readonly string[]): boolean {
  const indents = added.filter((line) => !isBlank(line)).map(indentOf);
  const line = own.find((each) => !isBlank(each));
  const least = indents.reduce((one, other) => (other.length < one.length ? other : one), indents[0] ?? '');
  return line === undefined || indents.length === 0 || least === indentOf(line);
}

/** Returns the last non-blank line before `at`, or else the first one after it. */
function findNearestLine(block: readonly string[], at: number): number | undefined {
  const before = block.slice(0, at).findLastIndex((line) => !isBlank(line));
  if (before >= 0) return before;
  const after = block.findIndex((line, index) => index >= at && !isBlank(line));
  return after < 0 ? undefined : after;
}
