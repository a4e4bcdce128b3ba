/** Names of the tests that pass, and how many were skipped, as runners print them. Pure; linear in the output. */
import { withoutDuration } from './failure-text.ts';
import type { WorkspacePaths } from './types.ts';

type Lines = readonly string[];

/** Returns the names that a runner's lines give its passing tests, written as its failing ones are. */
export function passingTests(runner: string, lines: Lines, paths: WorkspacePaths): string[] {
  const names = namesBy[runner]?.(lines) ?? [];
  return names.map((name) => withRelativePath(name, paths));
}

/** Only the file in a name is a path: a backslash behind `::` or in a title belongs to the name, as in failing tests. */
function withRelativePath(name: string, paths: WorkspacePaths): string {
  const [file = '', ...rest] = name.split('::');
  return file.includes('\\') ? name : [paths.relative(file) ?? file, ...rest].join('::');
}

/** Returns how many tests a runner skipped by its own totals; 0 if these do not name any. */
export function skippedTests(runner: string, lines: Lines): number {
  const total = SKIPPED[runner];
  if (!total) return 0;
  return lines.reduce((sum, line) => sum + Number(total.exec(line)?.[1] ?? 0), 0);
}

const SKIPPED: Readonly<Record<string, RegExp>> = {
  'node:test': /^[ℹ#] (?:skipped|todo) (\d+)$/,
  pytest: /^=* ?(?=.*\bin [\d.]+s).*?\b(\d+) skipped/,
  unittest: /^(?:OK|FAILED) \(.*?skipped=(\d+)/,
  Jest: /^Tests: .*?\b(\d+) (?:skipped|todo)/,
  Vitest: /^ +Tests {2}.*?\b(\d+) (?:skipped|todo)/,
  Mocha: /^ {2}(\d+) pending/,
  'cargo test': /^test result: .*? (\d+) ignored/,
};

const matches = (lines: Lines, pattern: RegExp): string[] =>
  lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);

/** Titles below their suites, which are told by how far they are indented. */
function nested(
  lines: Lines,
  { test, suite, indent }: Record<'test' | 'suite', RegExp> & { indent: number },
): string[] {
  const suites: string[] = [];
  return lines.flatMap((line) => {
    const depth = Math.floor((/^ */.exec(line)?.[0].length ?? 0) / indent);
    const [, title] = test.exec(line) ?? [];
    if (title !== undefined)
      return [[...suites.slice(0, depth), withoutDuration(title)].filter(Boolean).join(' > ')];
    const [, name] = suite.exec(line) ?? [];
    if (name !== undefined) suites.splice(depth, Infinity, withoutDuration(name));
    return [];
  });
}

const SKIP = /# (?:SKIP|TODO)/i;

const namesBy: Readonly<Record<string, (lines: Lines) => string[]>> = {
  'node:test': (lines) =>
    (lines.some((line) => /^ℹ tests \d+$/.test(line))
      ? nested(lines, { test: /^\s*✔ (.+)$/, suite: /^\s*▶ (.+)$/, indent: 2 })
      : nested(lines, { test: /^\s*ok \d+ (?:- )?(.+)$/, suite: /^\s*# Subtest: (.+)$/, indent: 4 })
    ).filter((name) => !SKIP.test(name)),
  pytest: (lines) => {
    const listed = matches(lines, /^PASSED (\S+?::.+)$/);
    return listed.length > 0 ? listed : matches(lines, /^(\S+?::.+?) PASSED(?: +\[ *\d+%\])?$/);
  },
  unittest: (lines) =>
    lines.flatMap((line) => {
      const [, method = '', owner] = /^(\w+) \(([\w.]+)\) \.\.\. ok$/.exec(line) ?? [];
      if (owner === undefined) return [];
      return [owner.endsWith(`.${method}`) ? owner : `${owner}.${method}`];
    }),
  Jest: (lines) =>
    nested(lines, { test: /^ +[✓√] (.+)$/, suite: /^ {2,}([^\s✓√✕×○●✎].*)$/, indent: 2 }).map(
      withoutEmptySuite,
    ),
  Mocha: (lines) =>
    nested(lines, {
      test: /^ +[✓✔√] (.+)$/,
      suite: /^ {2,}(?!\d+ (?:passing|failing|pending)|\d+\) |- )(\S.*)$/,
      indent: 2,
    }).map(withoutEmptySuite),
  Vitest: (lines) => matches(lines, /^ +[✓√] (?:\|[^|]{1,80}\| )?\S+\.[cm]?[jt]sx? > (.+?)(?: \d+ ?ms)?$/),
  'cargo test': (lines) => matches(lines, /^test (.+) \.\.\. ok$/),
  'go test': (lines) => matches(lines, /^\s*--- PASS: (\S+) \(/),
};

/** The outermost tests are indented once without a suite around them. */
const withoutEmptySuite = (name: string): string => name.replace(/^ > /, '');
