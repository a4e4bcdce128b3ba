/** Figures and the few statistics that the benchmarks share. Pure. */

/** One line of the table. `target` is what the specification wants; nothing is asserted. */
export interface Figure {
  name: string;
  /** null: could not be measured here; `note` says why. */
  value: number | null;
  unit: string;
  target?: string;
  note?: string;
}

/** Counts that belong together: printed below the figures, the first column to the left. */
export interface Table {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The value below which `share` (0 to 1) of all values lie; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1));
  return sorted[index] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Length of the common beginning of two texts, in UTF-16 units. */
export function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

export const MIB = 1024 * 1024;
