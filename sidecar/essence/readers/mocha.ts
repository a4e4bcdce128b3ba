/** Mocha's `spec` reporter. */
import { MAX_READ_FAILURES, failureFields, firstIn } from '../failure-text.ts';
import type { Reader, Reading } from '../types.ts';
import { crashes } from './crashes.ts';

const FAILING = /^ {2}\d+ failing$/;
const NUMBER = /^ {2}(\d+)\) (.+)$/;

export const mochaReader: Reader = {
  runner: 'Mocha',
  recognises: ({ lines }) =>
    lines.some((line) => /^ {2}\d+ passing \(|^ Exception during run: /.test(line) || FAILING.test(line)),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: [] };
    const passed = firstIn(lines, /^ {2}(\d+) passing/);
    if (passed !== undefined) reading.passed = Number(passed);
    if (lines.some((line) => line.startsWith(' Exception during run: ')))
      reading.errors.push(...crashes(lines, paths));
    const start = lines.findIndex((line) => FAILING.test(line));
    const blocks: string[][] = [];
    for (const line of start < 0 ? [] : lines.slice(start + 1)) {
      const [, , head] = NUMBER.exec(line) ?? [];
      if (head === undefined) blocks.at(-1)?.push(line);
      else blocks.push([head]);
    }
    for (const block of blocks) {
      const { name, body } = splitTitle(block);
      reading.failed.push({
        name,
        ...(reading.failed.length < MAX_READ_FAILURES ? failureFields(withoutSecondDiff(body), paths) : {}),
      });
    }
    return reading;
  },
};

/** Titles stand one below the other, the last one ends with a colon. */
function splitTitle(block: readonly string[]): { name: string; body: string[] } {
  const end = block.findIndex(
    (line, index) => line.endsWith(':') && (index === 0 || /^ {7}/.test(line)) && index < 12,
  );
  const titles = block.slice(0, Math.max(0, end) + 1).map((line) => line.trim());
  return { name: titles.join(' > ').replace(/:$/, ''), body: block.slice(Math.max(0, end) + 1) };
}

/** Mocha adds a diff of its own to an assertion that has one already, with the signs the other way round. */
function withoutSecondDiff(body: readonly string[]): string[] {
  const legend = body.findIndex((line) => line.trim() === '+ expected - actual');
  if (legend < 0) return [...body];
  const first = body.slice(0, legend);
  const hasOwn = first.some((line) => line.trim() === '+ actual - expected' || /^\S.* !==? \S/.test(line));
  if (!hasOwn) return [...body];
  const stack = body.slice(legend).filter((line) => /^\s+at /.test(line));
  return [...first, ...stack];
}
