/** Formats the change of an edit for the model as a short unified diff. */
import { structuredPatch } from 'diff';
import { countSharedStart } from '../../base/values/shared-ends.ts';
import { excerptAround } from './long-lines.ts';

/** Change of a file's lines: the old lines from `start` (counted from 0) up to, but not including, `end` are replaced by `lines`. */
export interface LineChange {
  start: number;
  end: number;
  lines: readonly string[];
}

const CONTEXT_LINES = 3;
/** Maximum number of differing lines that are diffed, because diffing takes O(lines × differences). */
const MAX_DIFFERENT_LINES = 1_000;
const MAX_LINE_CHARS = 300;

/** Returns the hunks without file headers: at most `maxLines` lines, and a note about omitted ones. */
export function formatUnifiedDiff(before: string, after: string, maxLines: number): string {
  const patch = structuredPatch('', '', normalizeLines(before), normalizeLines(after), '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_DIFFERENT_LINES,
  });
  if (!patch) return '[too many lines differ to show them]';
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${formatRange(oldStart, oldLines)} +${formatRange(newStart, newLines)} @@`,
    ...shortenLines(body),
  ]);
  const omittedCount = lines.length - maxLines;
  return [
    ...lines.slice(0, maxLines),
    ...(omittedCount > 0 ? [`[${omittedCount} more lines of the diff]`] : []),
  ].join('\n');
}

/** Normalises line ends and the end of the last line, so that only differences in the text are shown. */
const normalizeLines = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .replace(/(?<=[^\n])$/, '\n');

/** Formats a range of a unified diff. An empty range has the number of the line before it. */
const formatRange = (start: number, lines: number): string =>
  `${lines === 0 ? start - 1 : start}${lines === 1 ? '' : `,${lines}`}`;

/** Shortens long lines to the part around their change, which is found by comparing each line with its counterpart. */
function shortenLines(body: readonly string[]): string[] {
  return body.map((line, index) => {
    if (line.length <= MAX_LINE_CHARS + 1) return line;
    const counterpart = body[findCounterpart(body, index)] ?? '';
    return (
      line[0] +
      excerptAround(line.slice(1), countSharedStart(line.slice(1), counterpart.slice(1)), MAX_LINE_CHARS)
    );
  });
}

/**
 * Returns the index of a changed line's counterpart on the other side of the hunk, or -1 if there is none.
 */
function findCounterpart(body: readonly string[], index: number): number {
  const sign = body[index]?.[0];
  if (sign !== '-' && sign !== '+') return -1;
  let first = index;
  while (body[first - 1]?.[0] === sign) first -= 1;
  let end = index + 1;
  while (body[end]?.[0] === sign) end += 1;
  let before = first;
  while (body[before - 1]?.[0] === '-') before -= 1;
  const counterpart = sign === '-' ? end + (index - first) : before + (index - first);
  const isPair = sign === '-' ? body[counterpart]?.[0] === '+' : counterpart < first;
  return isPair ? counterpart : -1;
}
