import { describe, expect, test } from '@jest/globals';
import { RepetitionGuard, roundSignature } from '../../sidecar/loop/guardrails/repetition.ts';
import { SeenResults } from '../../sidecar/loop/guardrails/seen-results.ts';
import { StallGuard } from '../../sidecar/loop/guardrails/stall.ts';

const call = (name: string, args: object = {}) => [{ name, arguments: args }];

describe('repetition', () => {
  test('the same round three times: a warning at the second, the end at the third', () => {
    const guard = new RepetitionGuard();
    const verdicts = [1, 2, 3].map(() => guard.observe(call('read_file', { file_path: 'a' })));
    expect(verdicts).toEqual(['ok', 'warn', 'stop']);
  });

  test('the order of keys does not matter, the values do', () => {
    expect(roundSignature(call('f', { a: 1, b: { c: 2, d: 3 } }))).toBe(
      roundSignature(call('f', { b: { d: 3, c: 2 }, a: 1 })),
    );
    expect(roundSignature(call('f', { a: 1 }))).not.toBe(roundSignature(call('f', { a: 2 })));
  });

  test('what came before does not count', () => {
    const guard = new RepetitionGuard();
    const verdicts = ['x', 'a', 'a', 'a'].map((name) => guard.observe(call(name)));
    expect(verdicts).toEqual(['ok', 'ok', 'warn', 'stop']);
  });

  test('an interruption starts the count again', () => {
    const guard = new RepetitionGuard();
    guard.observe(call('a'));
    guard.observe(call('a'));
    expect(guard.observe(call('b'))).toBe('ok');
    expect(guard.observe(call('a'))).toBe('ok');
  });

  test.each([
    ['two', ['a', 'b', 'a', 'b', 'a', 'b'], ['ok', 'ok', 'ok', 'warn', 'warn', 'stop']],
    [
      'three',
      ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'],
      ['ok', 'ok', 'ok', 'ok', 'ok', 'warn', 'warn', 'warn', 'stop'],
    ],
  ])('a cycle of %s rounds seen three times ends it', (_name, names, verdicts) => {
    const guard = new RepetitionGuard();
    expect(names.map((name) => guard.observe(call(name)))).toEqual(verdicts);
  });

  test('empty rounds never repeat', () => {
    const guard = new RepetitionGuard();
    expect([1, 2, 3, 4].map(() => guard.observe([]))).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});

describe('stall', () => {
  const verdicts = (guard: StallGuard, count: number) =>
    Array.from({ length: count }, () => guard.observe(false));

  test('warns after five rounds without progress and stops after three more', () => {
    const expected = ['ok', 'ok', 'ok', 'ok', 'warn', 'ok', 'ok', 'stop'];
    expect(verdicts(new StallGuard(true), 8)).toEqual(expected);
  });

  test('says before a round whether its outcome is worth waiting for', () => {
    const guard = new StallGuard(true);
    const matters = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => {
      const next = guard.nextMatters;
      guard.observe(false);
      return next;
    });
    const [no, yes] = [false, true];
    expect(matters).toEqual([no, no, no, no, yes, no, no, yes, yes]);
  });

  test('progress starts the count again', () => {
    const guard = new StallGuard(true);
    verdicts(guard, 4);
    expect(guard.observe(true)).toBe('ok');
    expect(verdicts(guard, 5)).toEqual(['ok', 'ok', 'ok', 'ok', 'warn']);
  });

  test('is off for tasks that are to change nothing', () => {
    const guard = new StallGuard(false);
    expect(guard.enabled).toBe(false);
    expect(new Set(verdicts(guard, 9))).toEqual(new Set(['ok']));
    expect(guard.nextMatters).toBe(false);
  });

  test('is on for the others', () => expect(new StallGuard(true).enabled).toBe(true));
});

describe('what a loop has seen', () => {
  const result = (output: string, more: object = {}) => [
    { toolCallId: '1', toolName: 't', output, fullOutput: output, isError: false, durationMs: 1, ...more },
  ];

  test('a line of a result that was not seen before is new', () => {
    const seen = new SeenResults();
    expect(seen.add(result('1 | a\n2 | b'))).toBe(true);
    expect(seen.add(result('2 | b'))).toBe(false);
    expect(seen.add(result('2 | b\n3 | c'))).toBe(true);
  });

  test('an error, a search that found nothing and the time that a command took are not', () => {
    const seen = new SeenResults();
    expect(seen.add(result('no such file', { isError: true }))).toBe(false);
    expect(seen.add(result('No matches for x', { details: { foundNothing: true } }))).toBe(false);
    const command = { details: { summary: 'exit code 0' } };
    expect(seen.add(result('[exit code 0, 12 ms]', command))).toBe(false);
    expect(seen.add(result('a.js\n[exit code 0, 12 ms]', command))).toBe(true);
    expect(seen.add(result('a.js\n[exit code 0, 13 ms]', command))).toBe(false);
  });
});
