/** Vitest's default reporter. */
import { failureFields, joinMessage, linesUntil, notRun } from '../failure-text.ts';
import type { Reader, Reading, WorkspacePaths } from '../types.ts';

const TITLE = /^ FAIL {2}(?:\|[^|]{1,80}\| )?(.+)$/;
const RULE = /^⎯{5,}/;

export const vitestReader: Reader = {
  runner: 'Vitest',
  recognises: ({ lines }) => lines.some((line) => /^\s+RUN {2}v\d|^ +Test Files {2}\d/.test(line)),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: [] };
    for (let index = 0; index < lines.length; index += 1) {
      const [, passed] = /^ +Tests {2}.*?\b(\d+) passed/.exec(lines[index] ?? '') ?? [];
      if (passed !== undefined) reading.passed = Number(passed);
      if (!TITLE.test(lines[index] ?? '')) continue;
      // Tests that fail for the same reason share one description.
      const titles = linesUntil(lines, index, (line) => !TITLE.test(line));
      index += titles.length;
      const body = linesUntil(lines, index, (line) => RULE.test(line) || TITLE.test(line));
      index += body.length - 1;
      for (const title of titles) add(reading, TITLE.exec(title)?.[1] ?? '', body, paths);
    }
    return reading;
  },
};

function add(reading: Reading, title: string, body: readonly string[], paths: WorkspacePaths): void {
  const [file = '', ...names] = title.split(' > ');
  const [, suite] = /^(\S+) \[ .* \]$/.exec(title) ?? [];
  const own = paths.relative(suite ?? file);
  const fields = failureFields(body, paths);
  if (suite !== undefined) {
    const [, path, line] = /^\s*File: \/?(.+?):(\d+):\d+$/m.exec(body.join('\n')) ?? [];
    const place =
      paths.place(path, line) ?? fields.frame ?? (own === undefined ? undefined : { path: own, line: 1 });
    const lines = (fields.message ?? title)
      .split('\n')
      .filter((text) => !/^\s*(?:At file|File): /.test(text));
    reading.errors.push({ message: joinMessage(lines, paths), place });
    reading.failed.push(notRun(own ?? suite));
    return;
  }
  const place = own === undefined ? undefined : paths.firstFrame(body.filter((text) => text.includes(own)));
  reading.failed.push({ name: names.join(' > ') || title, place, ...fields });
}
