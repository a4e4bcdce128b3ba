/** Reads the output of prove, which sums up the TAP of several files. */
import { buildNotRunTest } from '../failure-text.ts';
import type { OutputReader, OutputReading } from '../types.ts';

const FILE_LINE = /^(\S.*?) +\(Wstat: \d+(?: \(.*?\))? Tests: \d+ Failed: (\d+)\)$/;

export const proveReader: OutputReader = {
  runner: 'prove',
  mark: /^Result: (?:PASS|FAIL|NOTESTS)$/,
  read({ lines }) {
    const reading: OutputReading = { failed: [], errors: [], passing: [], skipped: 0 };
    let file = '';
    for (const line of lines) {
      const [, path, count] = FILE_LINE.exec(line) ?? [];
      if (path !== undefined) {
        file = path;
        if (count === '0') reading.failed.push(buildNotRunTest(file));
      }
      const [, numbers = ''] = /^ {2}Failed tests?: +(.+)$/.exec(line) ?? [];
      for (const number of numbers.split(/, */).filter(Boolean).flatMap(expandNumbers))
        reading.failed.push({ name: `${file} > test ${number}` });
      const [, tests] = /^Files=\d+, Tests=(\d+),/.exec(line) ?? [];
      if (tests !== undefined)
        reading.passed = Math.max(0, Number(tests) - reading.failed.filter(({ message }) => !message).length);
    }
    return reading;
  },
};

const MAX_NUMBERS = 1_000;

/** Expands a range such as `4-6` to its numbers. */
function expandNumbers(text: string): number[] {
  const [first = NaN, last = first] = text.split('-').map(Number);
  const length = Math.min(MAX_NUMBERS, last - first + 1);
  return length > 0 ? Array.from({ length }, (_, index) => first + index) : [];
}
