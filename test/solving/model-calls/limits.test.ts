import { describe, expect, test } from '@jest/globals';
import { checkLimits } from '../../../sidecar/solving/model-calls/check-limits.ts';
import { Conversation } from '../../../sidecar/solving/model-calls/conversation.ts';
import type { Stage } from '../../../sidecar/solving/model-calls/stage.ts';
import { CostLedger, type CostLedgerOptions } from '../../../sidecar/worker/ledger/cost-ledger.ts';
import { createTokenEstimator } from '../../../sidecar/model/token-estimate.ts';
import { openStateDatabase } from '../../../sidecar/base/storage/state-database.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import type { Exhausted, Ledger, LedgerEstimate, Reservation } from '../../../sidecar/solving/run-ports.ts';

interface Situation {
  iterations?: number;
  maxIterations?: number;
  turns?: Stage['turns'];
  tokensOut?: number;
  exhausted?: Exhausted;
  withoutLedger?: boolean;
  windowTokens?: number;
  question?: string;
}

/** A stage, what its ledger was asked, and what it was settled with. */
function stageOf(situation: Situation = {}) {
  const { iterations = 0, maxIterations = 10, tokensOut = 0, exhausted } = situation;
  const asked: LedgerEstimate[] = [];
  const settled: [Reservation, unknown][] = [];
  const ledger: Pick<Ledger, 'check' | 'settle'> = {
    check: (call) => {
      asked.push(call);
      return exhausted ? { ok: false, exhausted } : { ok: true, reservation: { id: asked.length } };
    },
    settle: (reservation, actual) => {
      settled.push([reservation, actual]);
      return { costUsd: 0 };
    },
  };
  const control = new TaskControl();
  const stage = {
    run: {
      control,
      limits: { maxIterations, timeoutMs: 5000 },
      totals: { iterations, tokensOut },
      ledger: situation.withoutLedger ? undefined : ledger,
      task: { task_id: 't1', budget: { max_tokens: 9 } },
      emit: () => undefined,
    },
    model: {
      name: 'm',
      session: { windowTokens: situation.windowTokens ?? 8192 },
      estimator: createTokenEstimator(),
    },
    conversation: Conversation.createPlain(situation.question ?? 'What is it?'),
    turns: situation.turns ?? { maxTurns: maxIterations, turnsBefore: 0 },
  } as unknown as Stage;
  return { stage, control, asked, settled };
}

describe('before a call of the model', () => {
  test('money is reserved for what the question holds and a first answer', () => {
    const { stage, asked, settled } = stageOf();
    expect(checkLimits(stage, false)).toEqual({ reservation: { id: 1 } });
    expect(asked).toEqual([
      {
        taskId: 't1',
        model: 'm',
        iteration: 1,
        tokensIn: expect.any(Number),
        tokensOut: 512,
        budget: { max_tokens: 9 },
      },
    ]);
    expect(asked[0]?.tokensIn).toBeGreaterThan(0);
    expect(settled).toEqual([]);
  });

  test('an answer is expected to be as long as those before it were', () => {
    const { stage, asked } = stageOf({ iterations: 3, tokensOut: 100 });
    checkLimits(stage, false);
    expect(asked[0]).toMatchObject({ iteration: 4, tokensOut: 34 });
    const first = stageOf({ iterations: 0, tokensOut: 7 });
    checkLimits(first.stage, false);
    expect(first.asked[0]).toMatchObject({ iteration: 1, tokensOut: 7 });
  });

  test('without a ledger nothing is reserved', () =>
    expect(checkLimits(stageOf({ withoutLedger: true }).stage, false)).toEqual({}));

  test('the last answer that is allowed is asked for, the one after it is not', () => {
    expect(checkLimits(stageOf({ iterations: 9 }).stage, false).ending).toBeUndefined();
    const { stage, asked } = stageOf({ iterations: 10 });
    expect(checkLimits(stage, false)).toEqual({
      ending: {
        reason: 'max_iterations',
        detail: 'iteration limit of 10 reached; raise it with metadata.max_iterations (--max-iterations)',
      },
    });
    expect(asked).toEqual([]);
  });

  test('a stage counts its own turns', () => {
    const turns = { maxTurns: 2, turnsBefore: 20 };
    expect(checkLimits(stageOf({ iterations: 21, turns }).stage, false).ending).toBeUndefined();
    expect(checkLimits(stageOf({ iterations: 22, turns }).stage, false).ending?.detail).toBe(
      'iteration limit of 2 reached; raise it with metadata.max_iterations (--max-iterations)',
    );
  });

  test('an exhausted budget says whose, of what, and when it is free again', () => {
    const exhausted: Exhausted = { scope: 'hour', unit: 'gpu_seconds', limit: 20, used: 19, freesAtMs: 0 };
    expect(checkLimits(stageOf({ exhausted }).stage, false)).toEqual({
      ending: {
        reason: 'budget_exhausted',
        detail:
          'hour budget of 20 gpu seconds is exhausted (19 used); available again at 1970-01-01T00:00:00.000Z',
      },
    });
    const own: Exhausted = { scope: 'task', unit: 'tokens', limit: 9, used: 8 };
    expect(checkLimits(stageOf({ exhausted: own }).stage, false).ending?.detail).toBe(
      'task budget of 9 tokens is exhausted (8 used)',
    );
  });

  test('a full window gives the reservation back', () => {
    const full = { windowTokens: 40, question: 'word '.repeat(2000) };
    const { stage, settled } = stageOf(full);
    expect(checkLimits(stage, false)).toEqual({
      ending: expect.objectContaining({ reason: 'context_exhausted' }),
    });
    expect(settled).toEqual([[{ id: 1 }, expect.objectContaining({ tokensIn: 0, tokensOut: 0 })]]);
    expect(checkLimits(stageOf({ ...full, withoutLedger: true }).stage, false).ending?.reason).toBe(
      'context_exhausted',
    );
  });

  test('of a full window and an exhausted budget the budget is told', () => {
    const exhausted: Exhausted = { scope: 'day', unit: 'usd', limit: 1, used: 1 };
    const { stage, settled } = stageOf({ windowTokens: 40, question: 'word '.repeat(2000), exhausted });
    expect(checkLimits(stage, false).ending?.reason).toBe('budget_exhausted');
    expect(settled).toEqual([]);
  });

  test('a round of an earlier life costs nothing', () => {
    const { stage, asked } = stageOf();
    expect(checkLimits(stage, true)).toEqual({});
    expect(asked).toEqual([]);
  });
});

describe('a stopped task', () => {
  test.each(['cancelled', 'shutdown', 'timeout'] as const)('asks no more: %s', (reason) => {
    const { stage, control, asked } = stageOf({ iterations: 10 });
    control.stop(reason);
    expect(checkLimits(stage, false).ending?.reason).toBe(reason);
    expect(asked).toEqual([]);
  });

  test('that was cancelled lives through nothing', () => {
    const { stage, control } = stageOf();
    control.stop('cancelled');
    expect(checkLimits(stage, true).ending?.reason).toBe('cancelled');
  });
});

describe('ledger in loop', () => {
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
        /^hour budget of 3500 tokens is exhausted \(\d+ used\); available again at \d{4}-.*Z$/u,
      ],
      ['tokens per day', { budgets: { perDay: { maxTokens: 3_500 } } }, {}, /^day budget of 3500 tokens/u],
      [
        'tokens per model',
        { budgets: { perModel: { m: { maxTokens: 3_500 } } } },
        {},
        /^model budget of 3500 tokens .*available again at/u,
      ],
      ['USD', { budgets: { perDay: { maxUsd: 3.5 } }, prices }, {}, /^day budget of 3\.5 usd/u],
      ['seconds of the GPU', {}, { budget: { max_gpu_seconds: 14 } }, /^task budget of 14 gpu seconds/u],
    ])('%s', async (_name, options, task, detail) => {
      const { result, ledger, chats, stopped } = await run(options, task);
      expect(result.termination_reason).toBe('budget_exhausted');
      expect(result.status).toBe('partial');
      const totals = ledger.readTaskTotals('t1');
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
    expect(ledger.readWindows().hour.tokens).toBeLessThanOrEqual(limit);
  });

  test('a call that was under way when the worker died is counted by its estimate', async () => {
    const dir = folder();
    const clock = { now: () => Date.UTC(2026, 0, 7) };
    const first = await openStateDatabase(dir);
    const before = new CostLedger({ db: first, clock });
    const reserved = before.check({ taskId: 't1', model: 'm', iteration: 1, tokensIn: 700, tokensOut: 300 });
    expect(reserved.ok).toBe(true);
    first.close();

    const second = await openStateDatabase(dir);
    const budgets = { perHour: { maxTokens: 3_500 } };
    const ledger = new CostLedger({ db: second, clock, budgets });
    expect(ledger.readWindows().hour.tokens).toBe(1_000);
    const server = await start();
    const { result } = await execute({ server, dir: folder(), deps: { ledger } });
    expect(result.termination_reason).toBe('budget_exhausted');
    expect(ledger.readWindows().hour.tokens).toBeLessThanOrEqual(3_500);
    const later = new CostLedger({ db: second, clock: { now: () => clock.now() + 2 * HOUR_MS }, budgets });
    expect(later.readWindows().hour.tokens).toBe(0);
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
});

/** A server, or a proxy in front of it, that leaves out how many tokens it read and wrote. */
describe('left out counts', () => {
  const folder = tempFolders();

  const leftOut = { tokensIn: 0, tokensOut: 0 };
  const round = (n: number) => ({
    ...call('shell', { command: `echo ${'word '.repeat(300)}${n} > f` }),
    ...leftOut,
  });

  test('its tokens are estimated: budget, ledger, result and events count them, and the result says so', async () => {
    const turns = [...Array.from({ length: 14 }, (_value, n) => round(n)), { ...say('Done.'), ...leftOut }];
    const server = await testModel(scenario(turns));
    const ledger = new CostLedger();
    const { result, events } = await execute({
      server,
      dir: folder(),
      deps: { ledger },
      task: { budget: { max_tokens: 9_000 } },
    });
    expect(result.termination_reason).toBe('budget_exhausted');
    expect(chatsOf(server).length).toBeLessThan(6);
    const used = result.tokens_in + result.tokens_out;
    expect(used).toBeGreaterThan(5_000);
    expect(used).toBeLessThanOrEqual(9_500);
    expect(result.tokens_out).toBeGreaterThan(1_000);
    expect(ledger.readTaskTotals('t1')).toMatchObject({
      tokensIn: result.tokens_in,
      tokensOut: result.tokens_out,
    });
    expect(result.tokens_estimated).toBe(true);
    expect(events.filter(({ text }) => text.includes('they are estimated'))).toHaveLength(1);
    const calls = events.flatMap(({ model_call: one }) => (one?.kind === 'answer' ? [one] : []));
    const ended = calls.filter(({ phase }) => phase === 'finished');
    expect(ended.reduce((sum, one) => sum + (one.tokens_in ?? 0) + (one.tokens_out ?? 0), 0)).toBe(used);
  });

  test('tokens that a server counts are not called estimates', async () => {
    const server = await testModel(scenario([say('Done.')]));
    const { result } = await execute({ server, dir: folder() });
    expect(result).not.toHaveProperty('tokens_estimated');
  });
});
