import { expect, test } from '@jest/globals';
import type { CheckEssence, CheckResult, VerificationReport } from '../../sidecar/protocol/result.ts';
import { checkChanges } from '../../sidecar/verification/check-changes.ts';

const check = (
  target: string,
  status: CheckResult['status'],
  essence?: Partial<CheckEssence>,
  type = 'command_succeeds',
): CheckResult => ({
  type,
  target,
  description: '',
  status,
  output: '',
  duration_ms: 1,
  ...(essence ? { essence: { runner: 'Jest', failed: [], errors: [], text: '', ...essence } } : {}),
});

const report = (...checks: CheckResult[]): VerificationReport => ({
  task_id: 't',
  run_number: 1,
  status: 'fail',
  started_at: '',
  duration_ms: 1,
  timeout_ms: 1,
  checks,
  summary: { total: checks.length, passed: 0, failed: 0, errors: 0, timed_out: 0 },
});

const changes = (before: CheckResult[], now: CheckResult[]) =>
  checkChanges(report(...before), report(...now));

test('names the checks that failed before, those that were fixed, and those that were broken', () => {
  expect(
    changes(
      [check('a', 'fail'), check('b', 'error'), check('c', 'pass'), check('d', 'pass')],
      [check('d', 'pass'), check('c', 'timeout'), check('b', 'fail'), check('a', 'pass')],
    ),
  ).toEqual({
    failed_before: ['b', 'a'],
    fixed: ['a'],
    broken: ['c'],
  });
});

test.each<[string, CheckResult[], CheckResult[]]>([
  ['was not there before', [], [check('a', 'fail')]],
  ['has another target', [check('a', 'pass')], [check('b', 'fail')]],
  ['is of another type', [check('a', 'pass')], [check('a', 'fail', undefined, 'file_exists')]],
  ['was not run before', [check('a', 'skip')], [check('a', 'fail')]],
  ['was not run now', [check('a', 'pass')], [check('a', 'skip')]],
])('says nothing of a check that %s', (_, before, now) => {
  expect(changes(before, now)).toEqual({ failed_before: [], fixed: [], broken: [] });
});

test.each<[string, CheckResult, string[], string[]]>([
  ['some pass, others fail', check('a', 'fail', { failed: ['two', 'three'] }), ['one'], ['three']],
  ['all pass', check('a', 'pass', {}), ['a', 'one', 'two'], []],
  ['all pass, told by another runner', check('a', 'pass', { runner: 'other' }), ['a', 'one', 'two'], []],
  ['the run was cut short', check('a', 'timeout', { runner: 'other' }), [], []],
  ['the output has no tests', check('a', 'fail'), [], []],
])('names tests too: %s', (_, now, fixed, broken) => {
  const before = check('a', 'fail', { failed: ['one', 'two'] });
  const found = changes([before], [now]);
  expect(found).toMatchObject({ fixed, broken });
  const named = now.essence ? ['one', 'two'] : [];
  expect(found.failed_before).toEqual(['a', ...named]);
});

test('takes no lines of an unknown runner for tests', () => {
  const other = { runner: 'other', failed: ['a line'] };
  expect(changes([check('a', 'fail', other)], [check('a', 'fail', { failed: ['one'] })])).toEqual({
    failed_before: ['a'],
    fixed: [],
    broken: [],
  });
});

test('says each name once, shortened, and not too many', () => {
  const failed = [...Array.from({ length: 60 }, (_, index) => `${index}${'x'.repeat(300)}`), 'one', 'one'];
  const found = changes(
    [check('one', 'fail', { failed: ['one', 'one'] }), check('b', 'pass', {})],
    [check('one', 'fail', { failed: ['one'] }), check('b', 'fail', { failed })],
  );
  expect(found.failed_before).toEqual(['one']);
  expect(found.broken).toHaveLength(50);
  expect(found.broken[1]).toBe(`0${'x'.repeat(199)}`);
});
