/** What an edit changed, for the model: a short unified diff. */
import { structuredPatch } from 'diff';

/** Lines `start` up to (not including) `end` of the old file, from 0, became `lines`. */
export interface LineChange {
  start: number;
  end: number;
  lines: readonly string[];
}

const CONTEXT_LINES = 3;
/** Comparing takes time by the product of the lines and of those that differ. */
const MAX_DIFFERENT_LINES = 1_000;
const MAX_LINE_CHARS = 300;

/** The hunks, without file headers, at most `maxLines` lines and a note on the rest. */
export function unifiedDiff(before: string, after: string, maxLines: number): string {
  const patch = structuredPatch('', '', plain(before), plain(after), '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_DIFFERENT_LINES,
  });
  if (!patch) return '[too many lines differ to show them]';
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...body.map(shortened),
  ]);
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`[${more} more lines of the diff]`] : [])].join('\n');
}

/** With line feeds alone, the last line ended, so that only what says something differs. */
const plain = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .replace(/(?<=[^\n])$/, '\n');

/** As in a unified diff: an empty side names the line before it. */
const range = (start: number, lines: number): string =>
  `${lines === 0 ? start - 1 : start}${lines === 1 ? '' : `,${lines}`}`;

const shortened = (line: string): string =>
  line.length > MAX_LINE_CHARS + 1 ? `${line.slice(0, MAX_LINE_CHARS + 1)}…` : line;
