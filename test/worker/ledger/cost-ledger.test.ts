import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { CostLedger, type CostLedgerOptions } from '../../../sidecar/worker/ledger/cost-ledger.ts';
import { readLedger } from '../../../sidecar/worker/ledger/export.ts';
import { createZeroCost } from '../../../sidecar/model/call-cost.ts';
import { keptLog } from '../../support/kept-log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { scaled } from '../../support/scale.ts';
import { actual, call, reserved, stateDatabases } from './fixture.ts';
import type { Reservation } from '../../../sidecar/solving/run-ports.ts';

describe('the cost ledger', () => {
  const tempFolder = tempFolders();
  const { open, opened } = stateDatabases();

  test('needs nothing to be made, and without budgets allows everything', () => {
    const ledger = new CostLedger();
    expect(ledger.settle(reserved(ledger), actual())).toEqual({ costUsd: 0 });
    expect(ledger.readTaskTotals('t1')).toEqual({
      calls: 1,
      tokensIn: 800,
      tokensOut: 200,
      gpuSeconds: 2,
      costUsd: 0,
    });
    expect(ledger.readTaskTotals('other')).toMatchObject({ calls: 0, tokensIn: 0 });
  });

  test('prices count tokens and GPU time', () => {
    const prices = { m: { usdPerMillionTokensIn: 1, usdPerMillionTokensOut: 5, usdPerGpuHour: 3.6 } };
    const ledger = new CostLedger({ prices });
    for (const _ of [1, 2])
      expect(ledger.settle(reserved(ledger), actual()).costUsd).toBeCloseTo(0.0008 + 0.001 + 0.002, 10);
    expect(ledger.readTaskTotals('t1').costUsd).toBeCloseTo(0.0076, 10);
    const byFunction = new CostLedger({ prices: () => ({ usdPerGpuHour: 3600 }) });
    expect(byFunction.settle(reserved(byFunction), actual()).costUsd).toBeCloseTo(2, 10);
  });

  test('a server that tells no parts is charged by its total time', () => {
    const ledger = new CostLedger();
    ledger.settle(reserved(ledger), actual({ promptEvalNs: 0, evalNs: 0, totalNs: 3e9 }));
    ledger.settle(reserved(ledger), actual({ loadNs: 1e9 }));
    expect(ledger.readTaskTotals('t1').gpuSeconds).toBe(6);
  });

  test('figures that make no sense count as nothing, and a second settle is ignored', () => {
    const ledger = new CostLedger();
    const reservation = reserved(ledger);
    ledger.settle(
      reservation,
      actual({ tokensIn: Number.NaN, tokensOut: -5, evalNs: Number.POSITIVE_INFINITY }),
    );
    expect(ledger.settle(reservation, actual())).toEqual({ costUsd: 0 });
    expect(ledger.readTaskTotals('t1')).toMatchObject({ calls: 1, tokensIn: 0, tokensOut: 0, gpuSeconds: 1 });
    reserved(ledger, { tokensIn: Number.NaN, tokensOut: 10.4, gpuSeconds: Number.POSITIVE_INFINITY });
    expect(ledger.readWindows().hour).toEqual({ tokens: 10, usd: 0, gpu_seconds: 1 });
  });

  test('a call that never happened gives its reservation back', () => {
    const ledger = new CostLedger({ budgets: { perHour: { maxTokens: 1500 } } });
    expect(ledger.settle(reserved(ledger), createZeroCost())).toEqual({ costUsd: 0 });
    expect(ledger.readTaskTotals('t1').calls).toBe(0);
    expect(ledger.check(call()).ok).toBe(true);
  });

  describe('a budget', () => {
    test('of the task holds, the stricter of its own and the configured one', async () => {
      const ledger = new CostLedger({ budgets: { perTask: { maxTokens: 5000 } } });
      const budget = { max_tokens: 2500, max_usd: undefined, max_gpu_seconds: undefined };
      ledger.settle(reserved(ledger, { budget }), actual());
      ledger.settle(reserved(ledger, { budget }), actual());
      expect(ledger.check(call({ budget }))).toEqual({
        ok: false,
        exhausted: { scope: 'task', unit: 'tokens', limit: 2500, used: 2000 },
      });
      expect(ledger.check(call({ budget: { ...budget, max_tokens: 9000 } })).ok).toBe(true);
      expect(ledger.check(call({ taskId: 't2', budget })).ok).toBe(true);
    });

    test.each([
      ['hour', { perHour: { maxTokens: 2500 } }, 3_600_000],
      ['day', { perDay: { maxTokens: 2500 } }, 86_400_000],
      ['model', { perModel: { m: { maxTokens: 2500 } } }, 86_400_000],
    ] as const)('per %s says when it frees up, and then does', async (scope, budgets, spanMs) => {
      const clock = new ManualClock();
      const ledger = new CostLedger({ budgets, clock });
      const firstMs = clock.now();
      ledger.settle(reserved(ledger), actual());
      await clock.advance(10 * 60_000);
      ledger.settle(reserved(ledger, { taskId: 't2' }), actual());
      const answer = ledger.check(call({ taskId: 't3' }));
      if (answer.ok) throw new Error('not exhausted');
      const { freesAtMs = 0, ...rest } = answer.exhausted;
      expect(rest).toEqual({ scope, unit: 'tokens', limit: 2500, used: 2000 });
      expect(freesAtMs).toBeGreaterThanOrEqual(firstMs + spanMs);
      expect(freesAtMs).toBeLessThanOrEqual(firstMs + spanMs + 5 * 60_000);
      await clock.advance(freesAtMs - clock.now() - 1);
      expect(ledger.check(call({ taskId: 't3' })).ok).toBe(false);
      await clock.advance(1);
      expect(ledger.check(call({ taskId: 't3' })).ok).toBe(true);
      expect(ledger.check(call({ taskId: 't3', model: 'another' })).ok).toBe(scope === 'model');
    });

    test('in USD or GPU seconds uses what a model was seen to take where an estimate names no time', () => {
      const ledger = new CostLedger({
        budgets: { perHour: { maxGpuSeconds: 3 } },
        prices: { m: { usdPerGpuHour: 1 } },
      });
      ledger.settle(reserved(ledger), actual());
      expect(ledger.check(call())).toMatchObject({ ok: false, exhausted: { unit: 'gpu_seconds', used: 2 } });
      expect(ledger.check(call({ gpuSeconds: 0.5 })).ok).toBe(true);
      const money = new CostLedger({
        budgets: { perDay: { maxUsd: 0.001 } },
        prices: () => ({ usdPerMillionTokensOut: 4 }),
      });
      expect(money.check(call()).ok).toBe(true);
      expect(money.check(call())).toMatchObject({ ok: false, exhausted: { unit: 'usd', limit: 0.001 } });
    });

    test.each([
      ['hour', 'perHour'],
      ['task', 'perTask'],
    ])('of the %s that a single call would pass by itself cannot free up', (scope, name) => {
      const ledger = new CostLedger({ budgets: { [name]: { maxTokens: 100 } } });
      expect(ledger.check(call())).toEqual({
        ok: false,
        exhausted: { scope, unit: 'tokens', limit: 100, used: 0 },
      });
    });

    test('is never passed by parallel tasks beyond what calls cost above their estimates', async () => {
      const step = fc.record({
        task: fc.nat(3),
        estimate: fc.integer({ min: 1, max: 400 }),
        over: fc.integer({ min: -300, max: 300 }),
        settleFirst: fc.nat(4),
      });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 4000 }), (steps, limit) => {
          const ledger = new CostLedger({
            budgets: { perHour: { maxTokens: limit } },
            clock: new ManualClock(),
          });
          const open: { reservation: Reservation; estimate: number; real: number }[] = [];
          let spent = 0;
          let excess = 0;
          const settleOne = () => {
            const one = open.shift();
            if (!one) return;
            ledger.settle(one.reservation, actual({ tokensIn: one.real, tokensOut: 0 }));
            spent += one.real;
            excess += Math.max(0, one.real - one.estimate);
            expect(spent).toBeLessThanOrEqual(limit + excess);
          };
          for (const { task, estimate, over, settleFirst } of steps) {
            for (let i = 0; i < settleFirst; i += 1) settleOne();
            const answer = ledger.check(call({ taskId: `t${task}`, tokensIn: estimate, tokensOut: 0 }));
            const held = open.reduce((sum, one) => sum + one.estimate, 0);
            expect(answer.ok).toBe(spent + held + estimate <= limit);
            if (answer.ok)
              open.push({ reservation: answer.reservation, estimate, real: Math.max(1, estimate + over) });
          }
          while (open.length > 0) settleOne();
          expect(ledger.readWindows().hour.tokens).toBe(spent);
        }),
        { numRuns: scaled({ quick: 100, full: 500 }) },
      );
    });
  });

  describe('on disk', () => {
    const start = async (folder: string, options: Omit<CostLedgerOptions, 'db'> = {}) =>
      new CostLedger({ db: await open(folder), ...options });

    test('spending still counts after a restart, by the hour, the day and the task', async () => {
      const folder = tempFolder();
      const clock = new ManualClock();
      const budgets = { perHour: { maxTokens: 2500 } };
      const first = await start(folder, { clock, budgets });
      first.settle(reserved(first), actual());
      await clock.advance(30 * 60_000);
      first.settle(reserved(first), actual());
      opened.pop()?.close();
      const second = await start(folder, { clock, budgets });
      expect(second.readTaskTotals('t1')).toEqual(first.readTaskTotals('t1'));
      expect(second.readWindows()).toEqual(first.readWindows());
      expect(second.check(call()).ok).toBe(false);
      await clock.advance(32 * 60_000);
      expect(second.check(call()).ok).toBe(true);
    });

    test('a call that a crash cut off is counted by its estimate at the next start, once', async () => {
      const folder = tempFolder();
      const first = await start(folder);
      first.settle(reserved(first), actual());
      reserved(first, { iteration: 2 });
      opened.pop()?.close();
      const log = keptLog();
      for (const round of [1, 2]) {
        const next = await start(folder, { logger: log });
        expect([round, next.readTaskTotals('t1')]).toMatchObject([
          round,
          { calls: 2, tokensIn: 1600, tokensOut: 400 },
        ]);
        expect(next.readWindows().day.tokens).toBe(2000);
        opened.pop()?.close();
      }
      expect((await readLedger(folder)).calls.map((row) => row.state)).toEqual(['estimated', 'settled']);
      expect(log.lines).toEqual([
        { level: 'warn', calls: 1, message: expect.stringContaining('counted with their estimated tokens') },
      ]);
    });

    test('rows tell what each call cost, as objects and as CSV', async () => {
      const folder = tempFolder();
      const clock = new ManualClock();
      const ledger = await start(folder, { clock, prices: { m: { usdPerGpuHour: 1800 } } });
      ledger.settle(reserved(ledger, { taskId: 'a "quoted", id' }), actual());
      ledger.settle(reserved(ledger), createZeroCost());
      const { calls } = await readLedger(folder);
      expect(calls).toEqual([
        {
          id: 1,
          taskId: 'a "quoted", id',
          model: 'm',
          iteration: 1,
          ...actual(),
          gpuSeconds: 2,
          costUsd: 1,
          atMs: clock.now(),
          state: 'settled',
        },
      ]);
    });

    test('old calls become sums by day and model; budgets and sums by task stay', async () => {
      const folder = tempFolder();
      const clock = new ManualClock(Date.UTC(2026, 0, 7, 10));
      const ledger = await start(folder, { clock, prices: { m: { usdPerGpuHour: 1800 } } });
      const spend = (taskId: string, model = 'm') =>
        ledger.settle(reserved(ledger, { taskId, model }), actual());
      for (const taskId of ['t1', 't1', 't2']) spend(taskId);
      spend('t2', 'other');
      await clock.advance(24 * 3_600_000);
      spend('t3');
      const forDay = { maxAgeMs: 3_600_000, maxCount: 1 };
      // What the windows count stays, whatever the limits say.
      expect(ledger.prune(forDay, 100)).toBe(0);
      await clock.advance(2 * 3_600_000);
      const before = ledger.readWindows();
      expect(ledger.prune({ maxAgeMs: 86_400_000, maxCount: 100 }, 3)).toBe(3);
      expect(ledger.prune({ maxAgeMs: 86_400_000, maxCount: 100 }, 3)).toBe(1);
      expect(ledger.prune({ maxAgeMs: 86_400_000, maxCount: 100 }, 3)).toBe(0);
      expect(ledger.readWindows()).toEqual(before);
      const dayMs = Date.UTC(2026, 0, 7);
      const { calls, days } = await readLedger(folder);
      expect(calls.map(({ taskId }) => taskId)).toEqual(['t3']);
      const again = await start(folder);
      expect(['t1', 't2', 't3'].map((taskId) => again.readTaskTotals(taskId).calls)).toEqual([2, 2, 1]);
      expect(days).toEqual([
        { dayMs, model: 'm', calls: 3, tokensIn: 2400, tokensOut: 600, gpuSeconds: 6, costUsd: 3 },
        { dayMs, model: 'other', calls: 1, tokensIn: 800, tokensOut: 200, gpuSeconds: 2, costUsd: 0 },
      ]);
    });

    test('too many calls and too many tasks go, the oldest first', async () => {
      const folder = tempFolder();
      const clock = new ManualClock();
      const ledger = await start(folder, { clock });
      for (let task = 0; task < 5; task += 1) {
        ledger.settle(reserved(ledger, { taskId: `t${task}` }), actual());
        await clock.advance(1000);
      }
      await clock.advance(26 * 3_600_000);
      while (ledger.prune({ maxAgeMs: 1e12, maxCount: 2 }, 2) > 0);
      const { calls, days } = await readLedger(folder);
      expect(calls.map(({ taskId }) => taskId)).toEqual(['t4', 't3']);
      const again = await start(folder);
      expect(['t2', 't3', 't4'].map((taskId) => again.readTaskTotals(taskId).calls)).toEqual([0, 1, 1]);
      expect(days).toMatchObject([{ calls: 3, tokensIn: 2400 }]);
    });

    test('a call under way is never pruned', async () => {
      const folder = tempFolder();
      const clock = new ManualClock();
      const ledger = await start(folder, { clock });
      const long = reserved(ledger);
      await clock.advance(30 * 3_600_000);
      expect(ledger.prune({ maxAgeMs: 0, maxCount: 1 }, 10)).toBe(0);
      ledger.settle(long, actual());
      expect((await readLedger(folder)).calls).toMatchObject([{ state: 'settled' }]);
    });

    test('a full disk does not stop the counting', async () => {
      const folder = tempFolder();
      const db = await open(folder);
      const logger = keptLog();
      const ledger = new CostLedger({ db, logger, budgets: { perTask: { maxTokens: 2500 } } });
      db.ledger.sql.pragma(
        `max_page_count = ${Number(db.ledger.sql.pragma('page_count', { simple: true }))}`,
      );
      const big = { taskId: 'x'.repeat(200_000) };
      const reservations = [reserved(ledger, big), reserved(ledger, big)];
      expect(new Set(reservations.map(({ id }) => id)).size).toBe(2);
      for (const reservation of reservations) ledger.settle(reservation, actual());
      expect(logger.lines).toContainEqual({
        level: 'error',
        error: expect.any(String),
        message: 'The ledger could not be written; counting continues in memory',
      });
      expect(ledger.check(call(big))).toMatchObject({ ok: false, exhausted: { scope: 'task', used: 2000 } });
    });
  });
});
