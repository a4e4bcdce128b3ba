/** cargo test: failing tests, panics and rustc's errors. */
import { MAX_READ_FAILURES, joinMessage, linesUntil, notRun } from '../failure-text.ts';
import type { OutputError, Reader, Reading, WorkspacePaths } from '../types.ts';

const STDOUT = /^---- (.+) stdout ----$/;
const PANIC = /^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?([^\s:]+\.rs):(\d+):\d+:?$/;
const END = /^(?:stack backtrace:|note: |failures:|\s+\d+: )/;

/** Lines that are read below an error of the compiler. */
const BLOCK_LINES = 40;

export const cargoReader: Reader = {
  runner: 'cargo test',
  recognises: ({ lines }) =>
    lines.some((line) =>
      /^test result: (?:ok|FAILED)\.|^running \d+ tests?$|^error(?:\[E\d+\])?: could not compile|^error\[E\d{4}\]: /.test(
        line,
      ),
    ),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: compilerErrors(lines, paths) };
    const results = lines.flatMap((line) => /^test result: .*? (\d+) passed/.exec(line)?.[1] ?? []);
    if (results.length > 0) reading.passed = results.reduce((sum, count) => sum + Number(count), 0);
    for (const [index, line] of lines.entries()) {
      const [, name] = STDOUT.exec(line) ?? [];
      if (name !== undefined)
        reading.failed.push({
          name,
          ...(reading.failed.length < MAX_READ_FAILURES
            ? panicOf(linesUntil(lines, index + 1, isEnd), paths)
            : {}),
        });
    }
    const known = new Set(reading.failed.map(({ name }) => name));
    for (const line of lines) {
      const [, name] = /^test (.+) \.\.\. FAILED$/.exec(line) ?? [];
      if (name !== undefined && !known.has(name)) reading.failed.push({ name });
    }
    const begun = lines.filter((line) => /^running \d+ tests?$/.test(line)).length;
    const ended = lines.filter((line) => line.startsWith('test result: ')).length;
    if (begun > ended) reading.failed.push(notRun('a program of tests ended before its result'));
    return reading;
  },
};

const isEnd = (line: string): boolean => STDOUT.test(line) || line === 'failures:';

/** `left` and `right` are whichever way the test was written, so they stay in the message. */
function panicOf(body: readonly string[], paths: WorkspacePaths) {
  const at = body.findIndex((line) => PANIC.test(line));
  if (at < 0) {
    const message = joinMessage(
      body.filter((line) => !END.test(line)),
      paths,
    );
    return message === '' ? {} : { message };
  }
  const [, old, file, number] = PANIC.exec(body[at] ?? '') ?? [];
  const end = body.findIndex((line, index) => index > at && (END.test(line) || line === ''));
  const said = old === undefined ? body.slice(at + 1, end < 0 ? undefined : end) : [old];
  return { message: joinMessage(said, paths) || 'panicked', frame: paths.place(file, number) };
}

function compilerErrors(lines: readonly string[], paths: WorkspacePaths): OutputError[] {
  const found: OutputError[] = [];
  let seen = 0;
  for (const [index, line] of lines.entries()) {
    const [, said] = /^(error(?:\[E\d+\])?: .+)$/.exec(line) ?? [];
    if (
      said === undefined ||
      /: (?:could not compile|aborting due to|test failed|\d+ targets? failed)/.test(line)
    )
      continue;
    if ((seen += 1) > MAX_READ_FAILURES) break;
    const below = linesUntil(lines.slice(index + 1, index + 1 + BLOCK_LINES), 0, (text) => text === '');
    const [, file, number] =
      /^\s*--> ([^\s:]+):(\d+):\d+$/.exec(below.find((text) => /^\s*--> /.test(text)) ?? '') ?? [];
    const place = paths.place(file, number);
    const labels = below.flatMap(
      (text) =>
        /^\s*\|\s+[\^-]+ (\S.*)$/.exec(text)?.[1] ?? /^\s*= ((?:note|help): .+)$/.exec(text)?.[1] ?? [],
    );
    const error = { message: joinMessage([said, ...labels.map((label) => `  ${label}`)], paths), place };
    // The library is compiled once by itself and once for its tests.
    if (!found.some(({ message, place: other }) => message === error.message && other?.line === place?.line))
      found.push(error);
  }
  return found;
}
