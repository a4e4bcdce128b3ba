import { expect, test } from '@jest/globals';
import type { CheckResult, VerificationReport } from '../../sidecar/protocol/result.ts';
import { checksNote } from '../../sidecar/verification/checks-note.ts';

const check = (target: string, output: string, more: Partial<CheckResult> = {}): CheckResult => ({
  type: 'command_succeeds',
  target,
  description: '',
  status: 'fail',
  output,
  duration_ms: 1,
  ...more,
});
const passing = check('true', '`true` passed in 0.1 s', { status: 'pass' });

const noteOf = (...checks: CheckResult[]): string => {
  const passed = checks.filter(({ status }) => status === 'pass').length;
  const summary = { total: checks.length, passed, failed: 0, errors: 0, timed_out: 0 };
  return checksNote({ checks, summary } as VerificationReport);
};

test('says that all pass, and what to do then', () => {
  expect(noteOf(passing, passing)).toBe('Checks: 2 of 2 pass. If the task is done, answer without a call.');
});

test('shows what matters in the output, else how the command ended, else all that is said', () => {
  const essence = { runner: 'Jest', failed: ['a'], errors: [], text: 'FAIL a\n  expected 1\n' };
  const ended = '`make` exited with code 2 after 0.3 s\nmake: *** [all] Error 2';
  expect(
    noteOf(
      passing,
      check('npm test', 'much', { essence, description: 'tests' }),
      check('make', ended),
      check('a.txt', ' a.txt does not exist\n', { type: 'file_exists' }),
    ),
  ).toBe(`Checks: 1 of 4 pass.
Failing: tests
    FAIL a
      expected 1
Failing: make
    \`make\` exited with code 2
Failing: file_exists a.txt
    a.txt does not exist`);
});

test('shows three that fail, counts the others, and shares the room among those', () => {
  const note = noteOf(...Array.from({ length: 5 }, (_, index) => check(`${index}`, 'x'.repeat(4_000))));
  const shown = [0, 1, 2].map((index) => `Failing: ${index}\n    ${'x'.repeat(499)}…`);
  expect(note).toBe(['Checks: 0 of 5 pass.', ...shown, '2 more fail.'].join('\n'));
});

test('gives one that fails all the room, cuts no character in two, and bounds its name', () => {
  const said = `${'x'.repeat(1_498)}😀 and more`;
  expect(noteOf(check('y'.repeat(300), said))).toBe(
    `Checks: 0 of 1 pass.\nFailing: ${'y'.repeat(199)}…\n    ${'x'.repeat(1_498)}…`,
  );
  expect(noteOf(check('a', 'x'.repeat(1_500)))).toContain(`    ${'x'.repeat(1_500)}`);
});
