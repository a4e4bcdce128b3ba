/** Python's unittest. */
import { firstIn, joinMessage, notRun } from '../failure-text.ts';
import type { Place, Reader, Reading, WorkspacePaths } from '../types.ts';

const RULE = /^={70}$/;
const HEADER = /^(FAIL|ERROR): (\S+)(?: \(([\w.<>]+)\))?(?: (.+))?$/;

export const unittestReader: Reader = {
  runner: 'unittest',
  recognises: ({ lines }) => lines.some((line) => /^Ran \d+ tests? in [\d.]+s$/.test(line)),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: [] };
    for (const [index, line] of lines.entries()) {
      const [, , method, qualified, variant] = HEADER.exec(line) ?? [];
      if (method === undefined || !RULE.test(lines[index - 1] ?? '')) continue;
      add(reading, { method, qualified, variant, body: bodyBelow(lines, index + 1), paths });
    }
    reading.passed = passedOf(lines, reading);
    return reading;
  },
};

/** Sub-tests of one test count once: the runner counts tests. */
function passedOf(lines: readonly string[], reading: Reading): number {
  const ran = firstIn(lines.toReversed(), /^Ran (\d+) tests? in/) ?? '0';
  const verdict = lines.findLast((line) => /^(?:FAILED|OK)\b/.test(line)) ?? '';
  const skipped = Number(/skipped=(\d+)/.exec(verdict)?.[1] ?? 0);
  const failing = new Set(reading.failed.map(({ name }) => name.replace(/ [([].*$/, '')));
  return Math.max(0, Number(ran) - skipped - failing.size);
}

function bodyBelow(lines: readonly string[], from: number): string[] {
  const body: string[] = [];
  let rules = 0;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (RULE.test(line)) break;
    if (/^-{70}$/.test(line) && (rules += 1) > 1) break;
    if (rules === 1 && !/^-{70}$/.test(line)) body.push(line);
  }
  return body;
}

interface Found {
  method: string;
  qualified: string | undefined;
  variant: string | undefined;
  body: readonly string[];
  paths: WorkspacePaths;
}

function add(reading: Reading, { method, qualified, variant, body, paths }: Found): void {
  const places: Place[] = body.flatMap((line) =>
    /^\s*File "/.test(line) ? (paths.firstFrame([line]) ?? []) : [],
  );
  const last = body.findLastIndex((line) => /^\s*File "/.test(line));
  // Below the last frame: its line of code and marks, indented, and then what was raised.
  const below = body.slice(last + 1);
  const start = below.findIndex((line) => /^\S/.test(line));
  const said = below.slice(Math.max(0, start));
  const message = joinMessage(
    said.filter((line) => !/^\s*\?[ ^+-]*$/.test(line) && !/^(?:Stdout|Stderr):$/.test(line)),
    paths,
  );
  const [place] = places;
  const frame = places.at(-1);
  if (qualified?.includes('_FailedTest')) {
    reading.errors.push({ message, place: frame });
    reading.failed.push(notRun(method));
    return;
  }
  const owner = qualified?.endsWith(`.${method}`) ? qualified : [qualified, method].filter(Boolean).join('.');
  reading.failed.push({
    name: variant === undefined ? owner : `${owner} ${variant}`,
    place,
    message: message || undefined,
    frame,
  });
}
