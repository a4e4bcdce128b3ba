/** The figures of an evaluation in words, for the terminal and for its page. Pure. */
import type { RunRecord } from './record.ts';
import type { Estimate } from './statistics.ts';

/** The outcome of a run. */
export function outcomeWord({ solved, falseSuccess, claimed }: RunRecord): string {
  if (solved) return 'solved';
  return falseSuccess ? 'false success' : claimed;
}

export const withInterval = ({ mean, low, high }: Estimate, text: (value: number) => string): string =>
  `${text(mean)} (90 %: ${text(low)} to ${text(high)})`;
export const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;
export const tenths = (value: number): string => value.toFixed(1);

/** The commonest first. */
export const endingsText = (counted: Readonly<Record<string, number>>): string =>
  Object.entries(counted)
    .sort(([, a], [, b]) => b - a)
    .map(([ending, count]) => `${ending} ${count}`)
    .join(', ');
