import { expect, test } from '@jest/globals';
import { addSpent, nothingSpent, spentOn } from '../../sidecar/model/spent.ts';
import { gpuSecondsOf } from '../../sidecar/ledger/amount.ts';
import type { ChatOutcome } from '../../sidecar/model/chat.ts';

const counts = { tokensIn: 10, tokensOut: 5, totalNs: 4e9, loadNs: 1e9, promptEvalNs: 1e9, evalNs: 1e9 };
const answer: ChatOutcome = {
  ok: true,
  value: { message: { role: 'assistant', content: '' }, doneReason: 'stop', ...counts },
};
const failed = (code: string): ChatOutcome => ({
  ok: false,
  failure: { code, message: '', partial: { content: 'x', tokensOut: 3 } },
});

test('an answer costs what the server says, and the time on the wall where it says nothing', () => {
  expect(spentOn(answer, 9000)).toEqual({ attempts: 1, waitedMs: 0, readTokens: counts.tokensIn, ...counts });
  const silent: ChatOutcome = { ok: true, value: { ...answer.value, totalNs: 0 } };
  expect(spentOn(silent, 9000).totalNs).toBe(9e9);
});

test('a call that timed out used the GPU, a refused one did not', () => {
  const sum = nothingSpent();
  addSpent(sum, spentOn(failed('model_timeout'), 120_000));
  addSpent(sum, spentOn(failed('model_busy'), 50));
  addSpent(sum, spentOn(answer, 4000));
  expect(sum).toMatchObject({ attempts: 3, tokensIn: 10, tokensOut: 11 });
  expect(gpuSecondsOf(sum)).toBe(123);
});
