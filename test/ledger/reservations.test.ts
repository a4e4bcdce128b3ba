/** What calls under way count for, what settled ones teach, and what the ledger says of trouble. */
import { describe, expect, test } from '@jest/globals';
import { CostLedger } from '../../sidecar/ledger/cost-ledger.ts';
import type { LedgerActual, LedgerEstimate } from '../../sidecar/ports.ts';
import { keptLog } from '../support/kept-log.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { actual, call, reserved, stateDatabases } from './fixture.ts';

/** What a call tells that took so many seconds. */
const took = (seconds: number): LedgerActual =>
  actual({ totalNs: seconds * 1e9, promptEvalNs: 0, evalNs: seconds * 1e9 });
const nothingUsed: LedgerActual = { ...took(0), tokensIn: 0, tokensOut: 0 };

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

test('what calls cost adds up', () => {
  const ledger = new CostLedger({ prices: { m: { usdPerMillionTokensIn: 1_000 } } });
  const [first, second] = [reserved(ledger), reserved(ledger)];
  expect(ledger.settle(first, took(1))).toEqual({ costUsd: 0.8 });
  ledger.settle(second, took(1));
  expect(ledger.taskTotals('t1').costUsd).toBeCloseTo(1.6);
});

test('what was not called costs nothing, nor does what was settled before', () => {
  const ledger = new CostLedger({ prices: { m: { usdPerMillionTokensIn: 1_000 } } });
  const reservation = reserved(ledger);
  expect(ledger.settle(reservation, nothingUsed)).toEqual({ costUsd: 0 });
  expect(ledger.settle(reservation, took(1))).toEqual({ costUsd: 0 });
});

test('how long a model takes is learned from its calls, later ones a fifth; calls without tokens teach nothing', () => {
  const ledger = new CostLedger();
  const secondsOf = (over: Partial<LedgerEstimate>): number => {
    const before = ledger.windows().hour.gpu_seconds;
    const reservation = reserved(ledger, over);
    const seconds = ledger.windows().hour.gpu_seconds - before;
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
  const { open, opened } = stateDatabases();

  test('a start tells of calls that were interrupted, and only of those', () => {
    const folder = tempFolder();
    const first = keptLog();
    reserved(new CostLedger({ db: open(folder), logger: first }));
    opened.pop()?.close();
    const second = keptLog();
    expect(new CostLedger({ db: open(folder), logger: second }).windows().day.tokens).toBe(1_000);
    expect(first.lines).toEqual([]);
    expect(second.lines).toEqual([
      { level: 'warn', calls: 1, message: expect.stringContaining('counted by their estimate') },
    ]);
  });

  test('a disk that fails is told of, and calls on it have ids of their own', () => {
    const db = open(tempFolder());
    const logger = keptLog();
    const ledger = new CostLedger({ db, logger, budgets: { perTask: { maxTokens: 2_500 } } });
    db.ledger.sql.pragma('query_only = on');
    const reservations = [reserved(ledger), reserved(ledger)];
    expect(new Set(reservations.map(({ id }) => id)).size).toBe(2);
    expect(reservations.every(({ id }) => id < 0)).toBe(true);
    expect(logger.lines).toContainEqual({
      level: 'error',
      error: expect.any(String),
      message: 'The ledger could not be written; counting goes on in memory',
    });
  });

  test('a task with a call under way is not forgotten, however many others come', () => {
    const ledger = new CostLedger({ db: open(tempFolder()), budgets: { perTask: { maxTokens: 1_500 } } });
    reserved(ledger, { taskId: 'busy' });
    for (let task = 0; task < 1_100; task += 1) ledger.taskTotals(`t${task}`);
    expect(ledger.check(call({ taskId: 'busy' })).ok).toBe(false);
  });

  test('totals that are forgotten are read again, and only when there are many', () => {
    const db = open(tempFolder());
    const ledger = new CostLedger({ db });
    ledger.settle(reserved(ledger, { taskId: 'old' }), took(1));
    const remove = db.ledger.sql.prepare('DELETE FROM task_totals WHERE task_id = ?');
    for (let task = 0; task < 999; task += 1) ledger.taskTotals(`t${task}`);
    remove.run('old');
    expect(ledger.taskTotals('old').calls).toBe(1);
    ledger.taskTotals('one more');
    expect(ledger.taskTotals('old').calls).toBe(0);
    // The younger half is still known.
    ledger.settle(reserved(ledger, { taskId: 'young' }), took(1));
    remove.run('young');
    expect(ledger.taskTotals('young').calls).toBe(1);
  });
});
