/** A change of whole files in a few words, counted without a diff. Pure. */

interface Change {
  path: string;
  /** Undefined for a new file. */
  before?: string | undefined;
  after: string;
}

/** `src/a.ts (+3 −1), src/b.ts (new, 12 lines)`. */
export const changeSummary = (changes: readonly Change[]): string =>
  changes
    .map(({ path, before, after }) => {
      if (before === undefined) return `${path} (new, ${after.trimEnd().split('\n').length} lines)`;
      return `${path} (+${linesOnlyIn(after, before)} −${linesOnlyIn(before, after)})`;
    })
    .join(', ');

/** Lines of one text that the other has not, as often as it has not. */
function linesOnlyIn(text: string, other: string): number {
  const counts = new Map<string, number>();
  for (const line of other.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  let only = 0;
  for (const line of text.split('\n')) {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    else only += 1;
  }
  return only;
}
