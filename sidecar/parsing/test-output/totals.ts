/** Reads the counts in the summaries of test runners. Pure. */
import type { OutputReading } from './types.ts';

type CountKind = 'passed' | 'failed' | 'skipped' | 'total';

/** Meaning of the words that runners use for counts, in lower case. */
const COUNTS = new Map<string, CountKind>([
  ...['passed', 'passing', 'pass'].map((word) => [word, 'passed'] as const),
  ...['failed', 'failing', 'failures', 'failure', 'fail', 'errors', 'error'].map(
    (word) => [word, 'failed'] as const,
  ),
  ...['skipped', 'pending', 'ignored', 'todo'].map((word) => [word, 'skipped'] as const),
  ...['tests', 'test', 'examples', 'example'].map((word) => [word, 'total'] as const),
]);

/** Sums the counts of all lines that match `totals`. Each count is a number and a word. */
function readTotals(lines: readonly string[], totals: RegExp): Partial<Record<CountKind, number>> {
  const counts: Partial<Record<CountKind, number>> = {};
  for (const line of lines) {
    const [match] = totals.exec(line) ?? [];
    if (match === undefined) continue;
    for (const part of line.slice(match.length).split(/[,;|]/)) {
      // `OK (expected failures=1)` is not a failure.
      if (/\bexpected\b/i.test(part)) continue;
      const [number] = /\d+/.exec(part) ?? [];
      const count = (part.match(/[a-z]+/gi) ?? []).flatMap((word) => COUNTS.get(word.toLowerCase()) ?? [])[0];
      if (number !== undefined && count !== undefined) counts[count] = (counts[count] ?? 0) + Number(number);
    }
  }
  return counts;
}

/** Adds the runner's own counts to a reading. They include failures that a truncated output does not name. */
export function addTotals(
  reading: OutputReading,
  lines: readonly string[],
  totals: RegExp,
  variants = 0,
): OutputReading {
  const { passed, failed = 0, skipped = 0, total } = readTotals(lines, totals);
  const isNamed = reading.failed.length + reading.errors.length > 0;
  const passedTotal = total === undefined ? undefined : Math.max(0, total - skipped - failed + variants);
  return {
    ...reading,
    passed: passed ?? passedTotal ?? reading.passed,
    skipped,
    failed: failed > 0 && !isNamed ? [{ name: `${failed} failed, not named in the output` }] : reading.failed,
  };
}
