/** How many lines a change adds and removes, for people. Pure. */
import { diffLines } from 'diff';
import type { ChangedFile } from '../applying/index.ts';

const MAX_MOVED_LINES = 200;

/** Counted without a diff: lines that only one side has, as a multiset. Where the same lines are in another order, those that moved. */
export function changedLines(before: string, after: string): { additions: number; deletions: number } {
  const counts = new Map<string, number>();
  for (const line of before.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  let additions = 0;
  for (const line of after.split('\n')) {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    else additions += 1;
  }
  const deletions = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (additions + deletions > 0 || before === after) return { additions, deletions };
  const changes = diffLines(before, after, { maxEditLength: MAX_MOVED_LINES }) ?? [];
  const moved = changes.reduce((sum, { added, count }) => sum + (added ? count : 0), 0);
  return { additions: moved, deletions: moved };
}

/** `+3 −1 in src/x.js, +9 −0 in src/y.js`. */
export function describeChange(files: readonly ChangedFile[]): string {
  return files
    .map(({ path, before, after }) => {
      const { additions, deletions } = changedLines(before ?? '', after ?? '');
      if (after === undefined) return `${path} deleted`;
      return `+${additions} −${before === undefined ? 0 : deletions} in ${path}`;
    })
    .join(', ');
}
