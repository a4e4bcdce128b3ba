/** The cost of a model call in the three units of budgets. Pure. */
import type { Exhausted, LedgerEstimate, LedgerTotals } from '../../solving/run-ports.ts';
import type { CallCost } from '../../model/call-cost.ts';

/** Prices of one model, as in the catalog entry's `price`. Omitted prices count as zero. */
export interface ModelPrice {
  usdPerMillionTokensIn?: number;
  usdPerMillionTokensOut?: number;
  usdPerGpuHour?: number;
}

/** An amount in each unit of budgets: tokens, dollars and GPU seconds. */
export type Amount = Record<Exhausted['unit'], number>;
export const units = ['tokens', 'usd', 'gpu_seconds'] as const satisfies readonly Exhausted['unit'][];

export const createZeroAmount = (): Amount => ({ tokens: 0, usd: 0, gpu_seconds: 0 });

/** Returns totals of zero, as before a task's first call. */
export const createZeroTotals = (): LedgerTotals => ({
  calls: 0,
  tokensIn: 0,
  tokensOut: 0,
  gpuSeconds: 0,
  costUsd: 0,
});

/** Returns the sum of two totals. */
export const addTotals = (sum: LedgerTotals, added: LedgerTotals): LedgerTotals => ({
  calls: sum.calls + added.calls,
  tokensIn: sum.tokensIn + added.tokensIn,
  tokensOut: sum.tokensOut + added.tokensOut,
  gpuSeconds: sum.gpuSeconds + added.gpuSeconds,
  costUsd: sum.costUsd + added.costUsd,
});

/** Returns the amount of a usage, in all units. */
export function priceOf(
  usage: { tokensIn: number; tokensOut: number; gpuSeconds: number },
  price: ModelPrice = {},
): Amount {
  const { usdPerMillionTokensIn = 0, usdPerMillionTokensOut = 0, usdPerGpuHour = 0 } = price;
  const usd =
    (usage.tokensIn * usdPerMillionTokensIn + usage.tokensOut * usdPerMillionTokensOut) / 1e6 +
    (usage.gpuSeconds * usdPerGpuHour) / 3600;
  return { tokens: usage.tokensIn + usage.tokensOut, usd, gpu_seconds: usage.gpuSeconds };
}

/**
 * Returns the server's busy seconds: the sum of loading, prefill and generation, or the reported total without these
 * parts.
 */
export function gpuSecondsOf(actual: CallCost): number {
  const parts = actual.loadNs + actual.promptEvalNs + actual.evalNs;
  return (parts > 0 ? parts : actual.totalNs) / 1e9;
}

/** Converts the server's figures to non-negative integers; invalid values count as 0. */
export const sanitizeCost = (actual: CallCost): CallCost => ({
  tokensIn: toCount(actual.tokensIn),
  tokensOut: toCount(actual.tokensOut),
  totalNs: toCount(actual.totalNs),
  loadNs: toCount(actual.loadNs),
  promptEvalNs: toCount(actual.promptEvalNs),
  evalNs: toCount(actual.evalNs),
});

/** Converts an estimate to whole tokens; a single NaN would make every sum NaN. */
export const sanitizeEstimate = (call: LedgerEstimate): LedgerEstimate => ({
  ...call,
  iteration: toCount(call.iteration),
  tokensIn: toCount(call.tokensIn),
  tokensOut: toCount(call.tokensOut),
  ...(call.gpuSeconds !== undefined && {
    gpuSeconds: Number.isFinite(call.gpuSeconds) ? Math.max(0, call.gpuSeconds) : 0,
  }),
});

const toCount = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER) : 0;
