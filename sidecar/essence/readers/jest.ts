/** Jest's default reporter. */
import { failureFields, linesUntil, notRun } from '../failure-text.ts';
import type { Reader, Reading, WorkspacePaths } from '../types.ts';

const TITLE = /^ {2}● (.+)$/;

export const jestReader: Reader = {
  runner: 'Jest',
  recognises: ({ lines }) =>
    lines.some((line) => /^(?:Test Suites: |Tests: +(?:\d+ \w+|no tests))/.test(line)) ||
    lines.some((line) => TITLE.test(line)),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: [] };
    const seen = new Set<string>();
    let file = '';
    for (const [index, line] of lines.entries()) {
      const [, passed] = /^Tests: .*?\b(\d+) passed/.exec(line) ?? [];
      if (passed !== undefined) reading.passed = Number(passed);
      file = /^\s*(?:FAIL|PASS) +(?:\S+ )?(\S+\.\w+)(?: \(.*\))?$/.exec(line)?.[1] ?? file;
      const [, title] = TITLE.exec(line) ?? [];
      if (title === undefined || title === 'Console') continue;
      const key = `${file} ${title}`;
      // A long run reports its failures a second time at the end.
      if (!seen.has(key)) add(reading, { title, file, body: linesUntil(lines, index + 1, isEnd), paths });
      seen.add(key);
    }
    return reading;
  },
};

/** The next title or the summary. */
const isEnd = (line: string): boolean => TITLE.test(line) || (line !== '' && !line.startsWith(' '));

interface Found {
  title: string;
  file: string;
  body: readonly string[];
  paths: WorkspacePaths;
}

function add(reading: Reading, { title, file, body, paths }: Found): void {
  // Jest repeats the error of a time-out as its cause.
  const cause = body.findIndex((line) => line.trim() === 'Cause:');
  const said = failureFields(cause < 0 ? body : body.slice(0, cause), paths);
  const frame = said.frame ?? paths.firstFrame(body);
  const own = paths.relative(file);
  if (title === 'Test suite failed to run') {
    const place = frame ?? (own === undefined ? undefined : { path: own, line: 1 });
    reading.errors.push({ message: said.message ?? title, place });
    reading.failed.push(notRun(own ?? file));
    return;
  }
  // Jest does not say where a test begins: the frame in its own file is nearest to it.
  const place = own === undefined ? undefined : paths.firstFrame(body.filter((line) => line.includes(own)));
  reading.failed.push({ name: title.replaceAll(' › ', ' > '), place, ...said, frame });
}
