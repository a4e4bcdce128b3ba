import { describe, expect, test } from '@jest/globals';
import { checkLimits } from '../../sidecar/asking/check-limits.ts';
import { Conversation } from '../../sidecar/asking/conversation.ts';
import type { Stage } from '../../sidecar/asking/stage.ts';
import { TaskControl } from '../../sidecar/task/task-control.ts';
import type { Ledger, Exhausted, LedgerEstimate, Reservation } from '../../sidecar/ports.ts';
import { createTokenEstimator } from '../../sidecar/prompt/token-estimate.ts';

interface Situation {
  iterations?: number;
  maxIterations?: number;
  turns?: Stage['turns'];
  tokensOut?: number;
  /** Rounds that an earlier life had answers to. */
  answered?: number[];
  exhausted?: Exhausted;
  withoutLedger?: boolean;
  windowTokens?: number;
  question?: string;
}

/** A stage, what its ledger was asked, and what it was settled with. */
function stageOf(situation: Situation = {}) {
  const { iterations = 0, maxIterations = 10, tokensOut = 0, answered = [], exhausted } = situation;
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
    conversation: Conversation.plain(situation.question ?? 'What is it?'),
    checkpoint: { hasAnswer: (round: number) => answered.includes(round) },
    turns: situation.turns ?? { allowed: maxIterations, usedBefore: 0 },
  } as unknown as Stage;
  return { stage, control, asked, settled };
}

describe('before a call of the model', () => {
  test('money is reserved for what the question holds and a first answer', () => {
    const { stage, asked, settled } = stageOf();
    expect(checkLimits(stage, 1)).toEqual({ reservation: { id: 1 } });
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
    checkLimits(stage, 4);
    expect(asked[0]).toMatchObject({ iteration: 4, tokensOut: 34 });
    const first = stageOf({ iterations: 0, tokensOut: 7 });
    checkLimits(first.stage, 1);
    expect(first.asked[0]).toMatchObject({ iteration: 1, tokensOut: 7 });
  });

  test('without a ledger nothing is reserved', () =>
    expect(checkLimits(stageOf({ withoutLedger: true }).stage, 1)).toEqual({}));

  test('the last answer that is allowed is asked for, the one after it is not', () => {
    expect(checkLimits(stageOf({ iterations: 9 }).stage, 10).ending).toBeUndefined();
    const { stage, asked } = stageOf({ iterations: 10 });
    expect(checkLimits(stage, 11)).toEqual({
      ending: { reason: 'max_iterations', detail: 'iteration limit of 10 reached' },
    });
    expect(asked).toEqual([]);
  });

  test('a stage counts its own turns', () => {
    const turns = { allowed: 2, usedBefore: 20 };
    expect(checkLimits(stageOf({ iterations: 21, turns }).stage, 1).ending).toBeUndefined();
    expect(checkLimits(stageOf({ iterations: 22, turns }).stage, 1).ending?.detail).toBe(
      'iteration limit of 2 reached',
    );
  });

  test('an exhausted budget says whose, of what, and when it is free again', () => {
    const exhausted: Exhausted = { scope: 'hour', unit: 'gpu_seconds', limit: 20, used: 19, freesAtMs: 0 };
    expect(checkLimits(stageOf({ exhausted }).stage, 1)).toEqual({
      ending: {
        reason: 'budget_exhausted',
        detail:
          'hour budget of 20 gpu seconds is exhausted (19 used); free again at 1970-01-01T00:00:00.000Z',
      },
    });
    const own: Exhausted = { scope: 'task', unit: 'tokens', limit: 9, used: 8 };
    expect(checkLimits(stageOf({ exhausted: own }).stage, 1).ending?.detail).toBe(
      'task budget of 9 tokens is exhausted (8 used)',
    );
  });

  test('a full window gives the reservation back', () => {
    const full = { windowTokens: 40, question: 'word '.repeat(2000) };
    const { stage, settled } = stageOf(full);
    expect(checkLimits(stage, 1)).toEqual({
      ending: expect.objectContaining({ reason: 'context_exhausted' }),
    });
    expect(settled).toEqual([[{ id: 1 }, expect.objectContaining({ tokensIn: 0, tokensOut: 0 })]]);
    expect(checkLimits(stageOf({ ...full, withoutLedger: true }).stage, 1).ending?.reason).toBe(
      'context_exhausted',
    );
  });

  test('of a full window and an exhausted budget the budget is told', () => {
    const exhausted: Exhausted = { scope: 'day', unit: 'usd', limit: 1, used: 1 };
    const { stage, settled } = stageOf({ windowTokens: 40, question: 'word '.repeat(2000), exhausted });
    expect(checkLimits(stage, 1).ending?.reason).toBe('budget_exhausted');
    expect(settled).toEqual([]);
  });

  test('a round of an earlier life costs nothing', () => {
    const { stage, asked } = stageOf({ answered: [1] });
    expect(checkLimits(stage, 1)).toEqual({});
    expect(asked).toEqual([]);
  });
});

describe('a stopped task', () => {
  test.each(['cancelled', 'shutdown', 'timeout'] as const)('asks no more: %s', (reason) => {
    const { stage, control, asked } = stageOf({ iterations: 10 });
    control.stop(reason);
    expect(checkLimits(stage, 11).ending?.reason).toBe(reason);
    expect(asked).toEqual([]);
  });

  test('whose time ran out in an earlier life lives through its rounds, and is cut off with the last of them', () => {
    const { stage, control } = stageOf({ answered: [1, 2] });
    control.stopSoon('timeout');
    expect(checkLimits(stage, 1)).toEqual({});
    expect(control.signal.aborted).toBe(false);
    expect(checkLimits(stage, 2)).toEqual({});
    expect(control.signal.aborted).toBe(true);
    expect(checkLimits(stage, 3).ending?.reason).toBe('timeout');
  });

  test('that was cancelled lives through nothing', () => {
    const { stage, control } = stageOf({ answered: [1] });
    control.stop('cancelled');
    expect(checkLimits(stage, 1).ending?.reason).toBe('cancelled');
  });
});
