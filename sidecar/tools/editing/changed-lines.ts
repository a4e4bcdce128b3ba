/**
 * A unified diff from the places that changed, which an edit knows anyway: nothing is compared but the changed
 * regions themselves, so the size of the file does not matter. Lines are without their endings.
 */
import { diffArrays } from 'diff';

/** Lines `start` up to (not including) `end` of the old file, from 0, became `lines`. */
export interface LineChange {
  start: number;
  end: number;
  lines: readonly string[];
}

const CONTEXT_LINES = 3;
/** Comparing line by line costs the product of both sides; a larger region is shown as removed and added. */
const MAX_COMPARED_LINES = 400;
const MAX_LINE_CHARS = 300;

type DiffLine = { sign: ' ' | '-' | '+'; text: string };

/**
 * The hunks, without file headers, at most `maxLines` lines and a note on the rest.
 * `changes` are in order and do not overlap.
 */
export function unifiedDiff(
  oldLines: readonly string[],
  changes: readonly LineChange[],
  maxLines: number,
): string {
  const output: string[] = [];
  let shift = 0;
  let omitted = 0;
  for (const group of nearbyGroups(changes)) {
    const first = Math.max(0, (group[0]?.start ?? 0) - CONTEXT_LINES);
    const body = hunkBody(oldLines, group, first);
    const oldCount = count(body, '-');
    const newCount = count(body, '+');
    if (output.length >= maxLines) {
      omitted += body.length + 1;
    } else {
      output.push(`@@ -${range(first, oldCount)} +${range(first + shift, newCount)} @@`);
      output.push(...body.slice(0, maxLines).map(({ sign, text }) => sign + shortened(text)));
      omitted += Math.max(0, body.length - maxLines);
    }
    shift += newCount - oldCount;
  }
  if (omitted > 0) output.push(`[${omitted} more lines of the diff]`);
  return output.join('\n');
}

/** Changes whose contexts touch share a hunk. */
function nearbyGroups(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    const near = change.start - lastEnd <= 2 * CONTEXT_LINES;
    if (near) groups.at(-1)?.push(change);
    else groups.push([change]);
    lastEnd = change.end;
  }
  return groups;
}

function hunkBody(oldLines: readonly string[], group: readonly LineChange[], first: number): DiffLine[] {
  const body: DiffLine[] = [];
  let at = first;
  const context = (end: number): void => {
    for (; at < end; at++) body.push({ sign: ' ', text: oldLines[at] ?? '' });
  };
  for (const { start, end, lines } of group) {
    context(start);
    body.push(...compared(oldLines.slice(start, end), lines));
    at = end;
  }
  context(Math.min(oldLines.length, at + CONTEXT_LINES));
  return body;
}

function compared(removed: readonly string[], added: readonly string[]): DiffLine[] {
  if (removed.length + added.length > MAX_COMPARED_LINES)
    return [...signed('-', removed), ...signed('+', added)];
  return diffArrays([...removed], [...added]).flatMap((part) =>
    signed(part.removed ? '-' : part.added ? '+' : ' ', part.value),
  );
}

const signed = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }));

/** Lines of the side that `sign` belongs to, context included. */
const count = (body: readonly DiffLine[], sign: '-' | '+'): number =>
  body.filter((line) => line.sign === sign || line.sign === ' ').length;

/** As in a unified diff: an empty side names the line before it. */
const range = (first: number, lines: number): string =>
  `${lines === 0 ? first : first + 1}${lines === 1 ? '' : `,${lines}`}`;

const shortened = (text: string): string =>
  text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
