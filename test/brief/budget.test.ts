import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { briefBudgetTokens } from '../../sidecar/brief/budget.ts';
import { openPrefillRates } from '../../sidecar/brief/prefill-rates.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('the budget of a brief', () => {
  test('a quarter of the window, or what the server reads in time', () => {
    expect(briefBudgetTokens({ windowTokens: 8_192, prefillTokensPerSecond: 5_000, seconds: 15 })).toBe(
      2_048,
    );
    expect(briefBudgetTokens({ windowTokens: 32_768, prefillTokensPerSecond: 110, seconds: 15 })).toBe(1_650);
    expect(briefBudgetTokens({ windowTokens: 1_000_000, prefillTokensPerSecond: 50_000, seconds: 15 })).toBe(
      24_000,
    );
    // A very slow machine still gets a few files, a very small window never more than its share.
    expect(briefBudgetTokens({ windowTokens: 32_768, prefillTokensPerSecond: 2, seconds: 15 })).toBe(1_600);
    expect(briefBudgetTokens({ windowTokens: 1_024, prefillTokensPerSecond: 2, seconds: 15 })).toBe(256);
    expect(briefBudgetTokens({ windowTokens: 32_768, seconds: 15 })).toBe(1_800);
  });
});

describe('how fast a server reads', () => {
  const folder = tempFolders();
  const call = (promptTokens: number, seconds: number) => ({ promptTokens, promptEvalNs: seconds * 1e9 });

  test('is learned for each model and kept between runs', async () => {
    const path = join(folder(), 'state', 'prefill-rates.json');
    const rates = await openPrefillRates(path);
    expect(rates.rateOf('a')).toBeUndefined();
    rates.learn('a', call(1_000, 10));
    rates.learn('a', call(2_000, 10));
    rates.learn('b', call(900, 1));
    expect(rates.rateOf('a')).toBeCloseTo(130);
    await rates.settled();
    const next = await openPrefillRates(path);
    expect([next.rateOf('a'), next.rateOf('b')]).toEqual([rates.rateOf('a'), 900]);
  });

  test('a prompt of which a part may have been cached says only what is sure', async () => {
    const rates = await openPrefillRates();
    rates.learn('a', call(1_000, 10));
    // Ten seconds for 500 to 5000 tokens: that may well be 100 tokens a second.
    rates.learn('a', { ...call(5_000, 10), freshTokens: 500 });
    expect(rates.rateOf('a')).toBe(100);
    rates.learn('a', { ...call(5_000, 10), freshTokens: 2_000 });
    expect(rates.rateOf('a')).toBeCloseTo(130);
    rates.learn('a', { ...call(500, 10), freshTokens: 0 });
    expect(rates.rateOf('a')).toBeCloseTo(106);
    rates.learn('b', { ...call(5_000, 0.1), freshTokens: 10 });
    expect(rates.rateOf('b')).toBeUndefined();
  });

  test('ignores counts that say nothing', async () => {
    const rates = await openPrefillRates();
    for (const [tokens, seconds] of [
      [10, 1],
      [500, 0],
      [0, 0],
      [500, Number.NaN],
      [500, -1],
      [1e12, 1e-3],
    ])
      rates.learn('a', call(tokens ?? 0, seconds ?? 0));
    expect(rates.rateOf('a')).toBeUndefined();
  });

  test('a file that was damaged, or cannot be written, costs only what was learned', async () => {
    const path = join(folder(), 'rates.json');
    writeFileSync(path, '{ "a": 5, "b": "x", "c": -1');
    expect((await openPrefillRates(path)).rateOf('a')).toBeUndefined();
    writeFileSync(path, '{ "a": 5, "b": "x", "c": -1, "d": null }');
    const rates = await openPrefillRates(path);
    expect(['a', 'b', 'c', 'd'].map((model) => rates.rateOf(model))).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
    const blocked = await openPrefillRates(join(path, 'below-a-file.json'));
    blocked.learn('a', call(1_000, 10));
    await blocked.settled();
    expect(blocked.rateOf('a')).toBe(100);
    for (let n = 0; n < 300; n += 1) rates.learn(`model-${n}`, call(1_000, 10));
    await rates.settled();
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
    expect(Object.keys(kept)).toHaveLength(200);
    expect(kept['model-299']).toBe(100);
  });
});
