import { describe, expect, test } from '@jest/globals';
import { cleanEstimate, gpuSecondsOf } from '../../sidecar/ledger/amount.ts';
import { limitsOf, stricter, unitExceeded } from '../../sidecar/ledger/budgets.ts';

const estimate = { taskId: 't', model: 'm', iteration: 1, tokensIn: 1, tokensOut: 1 };
const times = { tokensIn: 0, tokensOut: 0, totalNs: 9e9, loadNs: 0, promptEvalNs: 0, evalNs: 0 };

describe('the stricter of two budgets', () => {
  const configured = limitsOf({ maxTokens: 10, maxUsd: 2, maxGpuSeconds: 30 });

  test('holds in every unit', () => {
    expect(stricter(configured, { max_tokens: 5, max_usd: 1, max_gpu_seconds: 20 })).toEqual({
      tokens: 5,
      usd: 1,
      gpu_seconds: 20,
    });
    expect(stricter(configured, { max_tokens: 50, max_usd: 10, max_gpu_seconds: 200 })).toEqual(configured);
  });
  test('is the only one where the other names no limit', () => {
    expect(stricter(configured, {})).toEqual(configured);
    expect(stricter(configured, undefined)).toEqual(configured);
    expect(stricter(limitsOf(), { max_usd: 1 })).toEqual({ tokens: Infinity, usd: 1, gpu_seconds: Infinity });
  });
  test('is passed by the first unit that is too much, not by one that is just spent', () => {
    const used = { tokens: 8, usd: 2, gpu_seconds: 0 };
    expect(unitExceeded(configured, used, { tokens: 2, usd: 0, gpu_seconds: 30 })).toBeUndefined();
    expect(unitExceeded(configured, used, { tokens: 2, usd: 0.1, gpu_seconds: 31 })).toBe('usd');
  });
});

describe('seconds of the server', () => {
  test('are the sum of its parts, or its total where it tells none', () => {
    expect(gpuSecondsOf({ ...times, loadNs: 1e9, promptEvalNs: 2e9, evalNs: 3e9 })).toBe(6);
    expect(gpuSecondsOf(times)).toBe(9);
  });
  test('of an estimate are never less than none', () => {
    expect(cleanEstimate({ ...estimate, gpuSeconds: 4 }).gpuSeconds).toBe(4);
    expect(cleanEstimate({ ...estimate, gpuSeconds: -4 }).gpuSeconds).toBe(0);
    expect(cleanEstimate({ ...estimate, gpuSeconds: Number.NaN }).gpuSeconds).toBe(0);
    expect(cleanEstimate(estimate)).toEqual(estimate);
  });
});
