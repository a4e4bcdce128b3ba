import { describe, expect, test } from '@jest/globals';
import { CostLedger, type CostLedgerOptions } from '../../sidecar/ledger/cost-ledger.ts';
import { openStateDatabase } from '../../sidecar/storage/state-database.ts';
import { call, chatsOf, say, scenario, testModel } from '../support/scripted-model.ts';
import { execute } from '../support/scripted-run.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

const HOUR_MS = 3_600_000;
/** Rounds of 1 000 tokens: 900 in, 100 out; and 4 seconds of the GPU. */
const round = (n: number) => ({
  ...call('shell', { command: `echo ${n} > f` }),
  tokensIn: 900,
  tokensOut: 100,
});
const turns = [...Array.from({ length: 9 }, (_value, n) => round(n)), say('Done.')];
const speed = { promptTokensPerSecond: 450, tokensPerSecond: 50 };

const start = () => testModel(scenario(turns, { speed }));

async function run(options: CostLedgerOptions, task: object = {}) {
  const server = await start();
  const ledger = new CostLedger(options);
  const { result, events } = await execute({ server, dir: folder(), deps: { ledger }, task });
  const stop = events.find(({ text }) => text.startsWith('Stopped: '))?.text ?? '';
  return { result, ledger, chats: chatsOf(server), stopped: stop.replace('Stopped: ', '') };
}

const prices = { m: { usdPerMillionTokensIn: 1_000, usdPerMillionTokensOut: 1_000 } };

describe('a budget ends the loop before the call that would pass it', () => {
  test.each<[string, CostLedgerOptions, object, RegExp]>([
    [
      'tokens, the task’s own',
      {},
      { budget: { max_tokens: 3_500 } },
      /^task budget of 3500 tokens is exhausted \(\d+ used\)$/u,
    ],
    ['tokens per task', { budgets: { perTask: { maxTokens: 3_500 } } }, {}, /^task budget of 3500 tokens/u],
    [
      'tokens per hour',
      { budgets: { perHour: { maxTokens: 3_500 } } },
      {},
      /^hour budget of 3500 tokens is exhausted \(\d+ used\); free again at \d{4}-.*Z$/u,
    ],
    ['tokens per day', { budgets: { perDay: { maxTokens: 3_500 } } }, {}, /^day budget of 3500 tokens/u],
    [
      'tokens per model',
      { budgets: { perModel: { m: { maxTokens: 3_500 } } } },
      {},
      /^model budget of 3500 tokens .*free again at/u,
    ],
    ['USD', { budgets: { perDay: { maxUsd: 3.5 } }, prices }, {}, /^day budget of 3\.5 usd/u],
    ['seconds of the GPU', {}, { budget: { max_gpu_seconds: 14 } }, /^task budget of 14 gpu seconds/u],
  ])('%s', async (_name, options, task, detail) => {
    const { result, ledger, chats, stopped } = await run(options, task);
    expect(result.termination_reason).toBe('budget_exhausted');
    expect(result.status).toBe('partial');
    const totals = ledger.taskTotals('t1');
    expect(totals).toMatchObject({ calls: chats.length, tokensIn: 900 * chats.length });
    expect(result.tokens_in + result.tokens_out).toBe(totals.tokensIn + totals.tokensOut);
    expect(result.estimated_cost_usd).toBeCloseTo(totals.costUsd, 9);
    expect(totals.tokensIn + totals.tokensOut).toBeLessThanOrEqual(3_500);
    expect(chats.length).toBeGreaterThan(0);
    const nothingDone = await run(options, { ...task, budget: { max_tokens: 1 } });
    expect(nothingDone.result.error).toMatch(/^budget_exhausted after 0 iterations: /u);
    expect(stopped).toMatch(detail);
  });
});

test('parallel tasks together pass a budget by no more than one call each costs over its estimate', async () => {
  const server = await start();
  const limit = 12_000;
  const ledger = new CostLedger({ budgets: { perHour: { maxTokens: limit } } });
  const results = await Promise.all(
    Array.from({ length: 4 }, (_value, index) =>
      execute({ server, dir: folder(), deps: { ledger }, task: { task_id: `t${index}` } }),
    ),
  );
  expect(results.some(({ result }) => result.termination_reason === 'budget_exhausted')).toBe(true);
  // A first call is estimated with about 1 500 tokens for its prompt and 512 for its answer: none costs more.
  expect(ledger.windows().hour.tokens).toBeLessThanOrEqual(limit);
});

test('a call that was under way when the worker died is counted by its estimate', async () => {
  const dir = folder();
  const clock = { now: () => Date.UTC(2026, 0, 7) };
  const first = openStateDatabase(dir);
  const before = new CostLedger({ db: first, clock });
  const reserved = before.check({ taskId: 't1', model: 'm', iteration: 1, tokensIn: 700, tokensOut: 300 });
  expect(reserved.ok).toBe(true);
  first.close();

  const second = openStateDatabase(dir);
  const budgets = { perHour: { maxTokens: 3_500 } };
  const ledger = new CostLedger({ db: second, clock, budgets });
  expect(ledger.windows().hour.tokens).toBe(1_000);
  const server = await start();
  const { result } = await execute({ server, dir: folder(), deps: { ledger } });
  expect(result.termination_reason).toBe('budget_exhausted');
  expect(ledger.windows().hour.tokens).toBeLessThanOrEqual(3_500);
  const later = new CostLedger({ db: second, clock: { now: () => clock.now() + 2 * HOUR_MS }, budgets });
  expect(later.windows().hour.tokens).toBe(0);
  second.close();
});

test('every event after the first answer says what the task has used until now', async () => {
  const server = await start();
  const ledger = new CostLedger({ prices });
  const { events } = await execute({ server, dir: folder(), deps: { ledger } });
  const started = events.filter(({ phase }) => phase === 'started');
  expect(started.map(({ tokens_so_far: tokens }) => tokens)).toEqual(
    started.map((_event, index) => 1_000 * (index + 1)),
  );
  expect(started.map(({ cost_usd_so_far: cost }) => cost)).toEqual(
    started.map((_event, index) => expect.closeTo(index + 1, 6)),
  );
  expect(events[0]).not.toHaveProperty('tokens_so_far');
});
