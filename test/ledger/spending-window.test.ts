import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { SpendingWindow } from '../../sidecar/ledger/spending-window.ts';

const tokens = (count: number) => ({ tokens: count, usd: 0, gpu_seconds: 0 });

describe('a spending window', () => {
  test('holds at least all of the span and at most one bucket more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ waitMs: fc.nat(30_000), count: fc.nat(100) }), { minLength: 1, maxLength: 50 }),
        (spendings) => {
          const window = new SpendingWindow(60_000, 6);
          const all: { atMs: number; count: number }[] = [];
          let nowMs = 1_000_000;
          for (const { waitMs, count } of spendings) {
            nowMs += waitMs;
            window.add(nowMs, tokens(count));
            all.push({ atMs: nowMs, count });
            const since = (spanMs: number) =>
              all.filter((one) => one.atMs > nowMs - spanMs).reduce((sum, one) => sum + one.count, 0);
            const total = window.total(nowMs).tokens;
            expect(total).toBeGreaterThanOrEqual(since(60_000));
            expect(total).toBeLessThanOrEqual(since(70_001));
          }
        },
      ),
    );
  });

  test('what is taken back after its bucket left is not taken back twice', () => {
    const window = new SpendingWindow(60_000, 6);
    window.add(1_000_000, tokens(50));
    window.add(1_200_000, tokens(7));
    window.add(1_000_000, tokens(50), -1);
    expect(window.total(1_200_000).tokens).toBe(7);
  });

  test('a clock that goes back loses nothing', () => {
    const window = new SpendingWindow(60_000, 6);
    window.add(1_000_000, tokens(50));
    window.add(985_000, tokens(5));
    expect(window.total(985_000).tokens).toBe(55);
  });
});
