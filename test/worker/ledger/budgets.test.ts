import { describe, expect, test } from '@jest/globals';
import { limitsOf, tightenLimits, findExceededUnit } from '../../../sidecar/worker/ledger/budgets.ts';
import { CostLedger } from '../../../sidecar/worker/ledger/cost-ledger.ts';
import { SpendingWindow } from '../../../sidecar/worker/ledger/spending-window.ts';
import * as fc from '../../support/properties.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { actual, call, reserved, stateDatabases } from './fixture.ts';
import type { LedgerEstimate } from '../../../sidecar/solving/run-ports.ts';
import type { CallCost } from '../../../sidecar/model/call-cost.ts';

describe('tightenLimits of two budgets', () => {
  const configured = limitsOf({ maxTokens: 10, maxUsd: 2, maxGpuSeconds: 30 });

  test('holds in every unit', () => {
    expect(tightenLimits(configured, { max_tokens: 5, max_usd: 1, max_gpu_seconds: 20 })).toEqual({
      tokens: 5,
      usd: 1,
      gpu_seconds: 20,
    });
    expect(tightenLimits(configured, { max_tokens: 50, max_usd: 10, max_gpu_seconds: 200 })).toEqual(
      configured,
    );
  });
  test('is the only one where the other names no limit', () => {
    expect(tightenLimits(configured, {})).toEqual(configured);
    expect(tightenLimits(configured, undefined)).toEqual(configured);
    expect(tightenLimits(limitsOf(), { max_usd: 1 })).toEqual({
      tokens: Infinity,
      usd: 1,
      gpu_seconds: Infinity,
    });
  });
  test('is passed by the first unit that is too much, not by one that is just spent', () => {
    const used = { tokens: 8, usd: 2, gpu_seconds: 0 };
    expect(findExceededUnit(configured, used, { tokens: 2, usd: 0, gpu_seconds: 30 })).toBeUndefined();
    expect(findExceededUnit(configured, used, { tokens: 2, usd: 0.1, gpu_seconds: 31 })).toBe('usd');
  });
});

/** What calls under way count for, what settled ones teach, and what the ledger says of trouble. */

/** What a call tells that took so many seconds. */
const took = (seconds: number): CallCost =>
  actual({ totalNs: seconds * 1e9, promptEvalNs: 0, evalNs: seconds * 1e9 });
const nothingUsed: CallCost = { ...took(0), tokensIn: 0, tokensOut: 0 };

describe("a task's budget", () => {
  const prices = { m: { usdPerMillionTokensIn: 1_000, usdPerMillionTokensOut: 1_000 } };

  test.each([
    ['tokens', { maxTokens: 2_500 }, 2_000],
    ['usd', { maxUsd: 2.5 }, 2],
    ['gpu_seconds', { maxGpuSeconds: 25 }, 20],
  ] as const)('counts calls under way in %s, until they have happened or not', (unit, perTask, used) => {
    const ledger = new CostLedger({ budgets: { perTask }, prices });
    const estimate = { gpuSeconds: 10 };
    const first = reserved(ledger, estimate);
    reserved(ledger, estimate);
    const tooMuch = { ok: false, exhausted: { scope: 'task', unit, used } };
    expect(ledger.check(call(estimate))).toMatchObject(tooMuch);
    ledger.settle(first, nothingUsed);
    const third = reserved(ledger, estimate);
    expect(ledger.check(call(estimate))).toMatchObject(tooMuch);
    ledger.settle(third, took(10));
    expect(ledger.check(call(estimate))).toMatchObject(tooMuch);
    expect(ledger.check(call({ ...estimate, taskId: 't2' })).ok).toBe(true);
  });
});

test('how long a model takes is learned from its calls, later ones a fifth; calls without tokens teach nothing', () => {
  const ledger = new CostLedger();
  const secondsOf = (over: Partial<LedgerEstimate>): number => {
    const before = ledger.readWindows().hour.gpu_seconds;
    const reservation = reserved(ledger, over);
    const seconds = ledger.readWindows().hour.gpu_seconds - before;
    ledger.settle(reservation, nothingUsed);
    return seconds;
  };
  expect(secondsOf({})).toBe(0);
  ledger.settle(reserved(ledger), took(2));
  expect(secondsOf({})).toBeCloseTo(2);
  ledger.settle(reserved(ledger), took(7));
  expect(secondsOf({})).toBeCloseTo(3);
  ledger.settle(reserved(ledger), { ...took(5), tokensIn: 0, tokensOut: 0 });
  expect(secondsOf({ tokensIn: 1_800, tokensOut: 200 })).toBeCloseTo(6);
  expect(secondsOf({ model: 'another' })).toBe(0);
});

describe('with a database', () => {
  const tempFolder = tempFolders();
  const { open } = stateDatabases();

  test('a task with a call under way is not forgotten, however many others come', async () => {
    const ledger = new CostLedger({
      db: await open(tempFolder()),
      budgets: { perTask: { maxTokens: 1_500 } },
    });
    reserved(ledger, { taskId: 'busy' });
    for (let task = 0; task < 1_100; task += 1) ledger.readTaskTotals(`t${task}`);
    expect(ledger.check(call({ taskId: 'busy' })).ok).toBe(false);
  });

  test('totals that are forgotten are read again, and only when there are many', async () => {
    const db = await open(tempFolder());
    const ledger = new CostLedger({ db });
    ledger.settle(reserved(ledger, { taskId: 'old' }), took(1));
    const remove = db.ledger.sql.prepare('DELETE FROM task_totals WHERE task_id = ?');
    for (let task = 0; task < 999; task += 1) ledger.readTaskTotals(`t${task}`);
    remove.run('old');
    expect(ledger.readTaskTotals('old').calls).toBe(1);
    ledger.readTaskTotals('one more');
    expect(ledger.readTaskTotals('old').calls).toBe(0);
    // The younger half is still known.
    ledger.settle(reserved(ledger, { taskId: 'young' }), took(1));
    remove.run('young');
    expect(ledger.readTaskTotals('young').calls).toBe(1);
  });
});

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
            const total = window.totalAt(nowMs).tokens;
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
    expect(window.totalAt(1_200_000).tokens).toBe(7);
  });

  test('a clock that goes back loses nothing', () => {
    const window = new SpendingWindow(60_000, 6);
    window.add(1_000_000, tokens(50));
    window.add(985_000, tokens(5));
    expect(window.totalAt(985_000).tokens).toBe(55);
  });
});
