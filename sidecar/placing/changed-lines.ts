/** How many lines a change adds and removes, for people. Pure. */
import type { PlacedFile } from './types.ts';

/** Counted without a diff: lines that only one side has, as a multiset. */
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
  return { additions, deletions };
}

/** `+3 −1 in src/x.js, +9 −0 in src/y.js`. */
export function describeChange(files: readonly PlacedFile[]): string {
  return files
    .map(({ path, before, after }) => {
      const { additions, deletions } = changedLines(before ?? '', after);
      return `+${additions} −${before === undefined ? 0 : deletions} in ${path}`;
    })
    .join(', ');
}
