/** AVA's default reporter. */
import { MAX_READ_FAILURES, failureFields, linesUntil, withoutDuration } from '../failure-text.ts';
import type { Reader, Reading } from '../types.ts';

const FAILED = /^ {2}✘ \[fail\]: (.+)$/;
const RULE = /^ {2}─+$/;
const TOTALS =
  /^ {2}(?:\d+ (?:tests?|uncaught exceptions?|unhandled rejections?) (?:passed|failed)|✘ No tests found)/;

export const avaReader: Reader = {
  runner: 'AVA',
  recognises: ({ lines }) =>
    lines.some((line) => TOTALS.test(line)) || lines.some((line) => FAILED.test(line)),
  read({ lines, paths }) {
    const passed = lines.filter((line) => line.startsWith('  ✔ ')).length;
    const reading: Reading = { passed, failed: [], errors: [] };
    const details = lines.slice(lines.findIndex((line) => RULE.test(line)) + 1);
    const heads = headsOf(details);
    const failed = lines.flatMap((line) => FAILED.exec(line)?.[1] ?? []);
    const titles = new Set(failed.map((text) => titleIn(text, heads)));
    for (const text of failed) {
      const title = titleIn(text, heads);
      const from = heads.get(title);
      const body =
        from === undefined
          ? []
          : linesUntil(details, from + 1, (line) => RULE.test(line) || titles.has(line.slice(2)));
      const fields = reading.failed.length < MAX_READ_FAILURES ? failureFields(body, paths) : {};
      reading.failed.push({ name: withoutDuration(title).replaceAll(' › ', ' > '), ...fields });
    }
    return reading;
  },
};

/** Returns lines that stand alone, by their text: the titles of failing tests among them. */
function headsOf(details: readonly string[]): Map<string, number> {
  const isBlank = (index: number) => (details[index] ?? '').trim() === '';
  const alone = details.flatMap((line, index): [string, number][] =>
    /^ {2}\S/.test(line) && isBlank(index - 1) && isBlank(index + 1) ? [[line.slice(2), index]] : [],
  );
  return new Map(alone.toReversed());
}

/** Returns the title of a failing test, behind which its line says what it failed by. */
function titleIn(text: string, heads: ReadonlyMap<string, number>): string {
  for (let end = text.length; end > 0; end = text.lastIndexOf(' ', end - 1))
    if (heads.has(text.slice(0, end))) return text.slice(0, end);
  return text;
}
