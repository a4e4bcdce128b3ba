import { describe, expect, test } from '@jest/globals';
import { RepetitionGuard, roundSignature } from '../../../sidecar/loop/guards/repetition.ts';

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
