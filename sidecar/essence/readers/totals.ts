/** How many tests failed by a runner's own last lines, for outputs whose middle or beginning is cut off. */

/** For each runner the line that has the figure. */
const FAILED_IN_TOTAL: Readonly<Record<string, RegExp>> = {
  'node:test': /^(?:ℹ|#) fail (\d+)$/,
  pytest: /^=* ?(?=.*\bin [\d.]+s).*?\b(\d+) (?:failed|errors?)\b/,
  unittest: /^FAILED \((?:failures|errors)=(\d+)/,
  Jest: /^Tests: {1,10}(\d+) failed/,
  Vitest: /^ {0,10}Tests {1,4}(\d+) failed/,
  Mocha: /^ {0,10}(\d+) failing$/,
  'cargo test': /^test result: FAILED\. \d+ passed; (\d+) failed/,
};

/** 0 where no line says so. */
export function failedInTotal(runner: string, lines: readonly string[]): number {
  const total = FAILED_IN_TOTAL[runner];
  const counts = total ? lines.map((line) => Number(total.exec(line)?.[1] ?? 0)) : [];
  return Math.max(0, ...counts);
}
