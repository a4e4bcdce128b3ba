import { describe, expect, test } from '@jest/globals';
import { Progress } from '../../sidecar/loop/guards/progress.ts';
import { RepetitionGuard, roundSignature } from '../../sidecar/loop/guards/repetition.ts';

/** What a workspace holds, and whether it was seen to change in each round. */
class Life {
  content: string | Error;
  readonly watch = new Progress(() => this.#look());
  readonly verdicts: boolean[] = [];
  looks = 0;

  constructor(content: string | Error) {
    this.content = content;
    this.watch.begin();
  }

  #look(): Promise<string> {
    this.looks += 1;
    return this.content instanceof Error ? Promise.reject(this.content) : Promise.resolve(this.content);
  }

  async ended(content: string | Error, mayChange = true): Promise<void> {
    await this.watch.settled();
    this.content = content;
    this.verdicts.push(await this.watch.judge(mayChange));
    await this.watch.settled();
  }
}

describe('the watch for changes', () => {
  test('compares the workspace after each round that may have changed it', async () => {
    const life = new Life('a');
    await life.ended('b');
    await life.ended('b');
    await life.ended('b', false);
    await life.ended('c');
    expect(life.verdicts).toEqual([true, false, false, true]);
    expect(life.looks).toBe(4);
  });

  test('gives the verdict on the last round', async () => {
    const life = new Life('a');
    expect(await life.watch.settled()).toBe('ok');
    for (let round = 1; round <= 5; round += 1) await life.ended('a');
    expect(await life.watch.settled()).toBe('warn');
  });

  test('takes a workspace that cannot be compared for a changed one', async () => {
    const life = new Life('a');
    await life.ended(new Error('git is busy'));
    await life.ended('a');
    expect(life.verdicts).toEqual([true, false]);
  });

  test('looks at nothing where nothing is to change', async () => {
    const watch = new Progress(undefined);
    watch.begin();
    for (let round = 1; round < 10; round += 1) expect(await watch.judge(true)).toBe(false);
    expect([await watch.settled(), watch.isWatched, watch.nextMatters]).toEqual(['ok', false, false]);
  });
});

describe('rounds without progress', () => {
  const result = (output: string, more: object = {}) => [
    { toolCallId: '1', toolName: 't', output, fullOutput: output, isError: false, durationMs: 1, ...more },
  ];
  const newProgress = () => new Progress(() => Promise.resolve('a'));
  const verdicts = async (progress: Progress, shown: (ReturnType<typeof result> | undefined)[]) => {
    const all = [];
    for (const results of shown) {
      await progress.judge(false, results);
      all.push(await progress.settled());
    }
    return all;
  };
  const idle = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

  test('are warned of after five, and end the loop after three more', async () => {
    expect(await verdicts(newProgress(), idle(8))).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'warn',
      'ok',
      'ok',
      'stop',
    ]);
  });

  test('say before a round whether its outcome is worth waiting for', async () => {
    const progress = newProgress();
    const matters = [];
    for (let round = 1; round < 10; round += 1) {
      matters.push(progress.nextMatters);
      await progress.judge(false);
      await progress.settled();
    }
    const [no, yes] = [false, true];
    expect(matters).toEqual([no, no, no, no, yes, no, no, yes, yes]);
  });

  test('are counted anew after a line that was not seen before', async () => {
    const shown = [...idle(4), result('1 | a\n2 | b'), ...idle(5)];
    expect((await verdicts(newProgress(), shown)).slice(4)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'warn']);
    const again = [
      result('1 | a\n2 | b'),
      ...idle(3),
      result('2 | b'),
      result('2 | b'),
      result('2 | b\n3 | c'),
    ];
    expect(await verdicts(newProgress(), again)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'warn', 'ok']);
  });

  test.each([
    ['an error', result('no such file', { isError: true })],
    ['a search that found nothing', result('No matches for x', { details: { foundNothing: true } })],
    ['the time that a command took', result('[exit code 0, 12 ms]', { details: { summary: 'exit code 0' } })],
  ])('are not ended by %s', async (_what, results) => {
    expect((await verdicts(newProgress(), [...idle(4), results])).at(-1)).toBe('warn');
  });
});

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
