import { describe, expect, test } from '@jest/globals';
import type { IterationCall, GuardVerdict } from '../../../sidecar/solving/loop/guards/guard.ts';
import { RepetitionGuard, signatureOf } from '../../../sidecar/solving/loop/guards/repetition.ts';
import { StallGuard } from '../../../sidecar/solving/loop/guards/stall.ts';
import { TreeWatch } from '../../../sidecar/solving/loop/tree-watch.ts';

function nameOf(verdict: GuardVerdict): string {
  if (!verdict) return 'ok';
  return 'ending' in verdict ? 'stop' : 'warn';
}

describe('the watch for changes', () => {
  const watched = (content: string | Error) => {
    const life = { content, looks: 0 };
    const storePresentTree = () => {
      life.looks += 1;
      const { content: value } = life;
      return value instanceof Error ? Promise.reject(value) : Promise.resolve({ ok: true as const, value });
    };
    const watch = new TreeWatch({ storePresentTree });
    const changedTo = async (next: string | Error) => {
      await watch.waitForComparisons();
      life.content = next;
      return watch.compare();
    };
    return { watch, life, changedTo };
  };

  test('compares the workspace when it is asked to', async () => {
    const { watch, life, changedTo } = watched('a');
    expect([await changedTo('b'), await changedTo('b'), await changedTo('c')]).toEqual([true, false, true]);
    expect([watch.changeCount, life.looks]).toEqual([2, 4]);
  });

  test('takes a workspace that cannot be compared for a changed one', async () => {
    const { changedTo } = watched('a');
    expect([await changedTo(new Error('git is busy')), await changedTo('a'), await changedTo('a')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('looks at nothing if nothing is to change', async () => {
    const watch = new TreeWatch(undefined);
    expect([await watch.compare(), watch.isEnabled, watch.changeCount]).toEqual([false, false, 0]);
  });
});

describe('rounds without progress', () => {
  type Shown = Parameters<StallGuard['checkResults']>[0];
  const result = (output: string, more: object = {}): Shown => [
    { toolCallId: '1', toolName: 't', output, fullOutput: output, isError: false, durationMs: 1, ...more },
  ];
  /** The verdicts on rounds that show these results, or change the workspace. */
  const verdicts = async (rounds: (Shown | 'change')[], isEnabled = true) => {
    const watch = { isEnabled, changeCount: 0, waitForComparisons: () => Promise.resolve() };
    const guard = new StallGuard(watch);
    const all = [];
    for (const round of rounds) {
      await guard.checkCalls();
      if (round === 'change') watch.changeCount += 1;
      all.push(nameOf(await guard.checkResults(round === 'change' ? [] : round)));
    }
    return all;
  };
  const idle = (count: number): Shown[] => Array.from({ length: count }, () => []);

  test('are warned of after five, and end the loop after three more', async () => {
    expect((await verdicts(idle(9))).slice(3)).toEqual(['ok', 'warn', 'ok', 'ok', 'stop', 'stop']);
    expect(await verdicts(idle(9), false)).not.toContain('stop');
  });

  test('do not wait for a comparison whose outcome decides nothing', async () => {
    const guard = new StallGuard({
      isEnabled: true,
      changeCount: 0,
      waitForComparisons: () => new Promise(() => undefined),
    });
    expect(await guard.checkResults([])).toBeUndefined();
  });

  test('are counted anew after a change, and after a line that was not seen before', async () => {
    expect((await verdicts([...idle(4), 'change', ...idle(5)])).slice(4)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
      'warn',
    ]);
    const seen = result('2 | b');
    const again = [result('1 | a\n2 | b'), ...idle(3), seen, seen, result('2 | b\n3 | c')];
    expect(await verdicts(again)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'warn', 'ok']);
  });

  test.each([
    ['an error', result('no such file', { isError: true })],
    ['a search that found nothing', result('No matches for x', { details: { foundNothing: true } })],
    ['the time that a command took', result('[exit code 0, 12 ms]', { details: { summary: 'exit code 0' } })],
  ])('are not ended by %s', async (_what, results) => {
    expect((await verdicts([...idle(4), results])).at(-1)).toBe('warn');
  });
});

const call = (name: string, args: object = {}) => [{ name, arguments: args }];

describe('repetition', () => {
  const judge = (guard: RepetitionGuard, calls: IterationCall[]) => nameOf(guard.checkCalls(calls));

  test('the same round three times: a warning at the second, the end at the third', () => {
    const guard = new RepetitionGuard();
    const verdicts = [1, 2, 3].map(() => judge(guard, call('read_file', { file_path: 'a' })));
    expect(verdicts).toEqual(['ok', 'warn', 'stop']);
  });

  test('the order of keys does not matter, the values do', () => {
    expect(signatureOf(call('f', { a: 1, b: { c: 2, d: 3 } }))).toBe(
      signatureOf(call('f', { b: { d: 3, c: 2 }, a: 1 })),
    );
    expect(signatureOf(call('f', { a: 1 }))).not.toBe(signatureOf(call('f', { a: 2 })));
  });

  test('what came before does not count', () => {
    const guard = new RepetitionGuard();
    const verdicts = ['x', 'a', 'a', 'a'].map((name) => judge(guard, call(name)));
    expect(verdicts).toEqual(['ok', 'ok', 'warn', 'stop']);
  });

  test('an interruption starts the count again', () => {
    const guard = new RepetitionGuard();
    judge(guard, call('a'));
    judge(guard, call('a'));
    expect(judge(guard, call('b'))).toBe('ok');
    expect(judge(guard, call('a'))).toBe('ok');
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
    expect(names.map((name) => judge(guard, call(name)))).toEqual(verdicts);
  });

  test('empty rounds never repeat', () => {
    const guard = new RepetitionGuard();
    expect([1, 2, 3, 4].map(() => judge(guard, []))).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});
