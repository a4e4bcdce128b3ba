/** The cost of a call of the model, in the three units that budgets know. Pure. */
import type { Exhausted, LedgerActual, LedgerEstimate, LedgerTotals } from '../ports.ts';

/** Prices of one model; what is not given costs nothing. The catalogue entry's `price` has this shape. */
export interface ModelPrice {
  usdPerMillionTokensIn?: number;
  usdPerMillionTokensOut?: number;
  usdPerGpuHour?: number;
}

/** An amount in every unit; the keys are the units of `Exhausted`. */
export type Amount = Record<Exhausted['unit'], number>;
export const units = ['tokens', 'usd', 'gpu_seconds'] as const satisfies readonly Exhausted['unit'][];

export const nothing = (): Amount => ({ tokens: 0, usd: 0, gpu_seconds: 0 });

/** The cost of a task before its first call. */
export const noTotals = (): LedgerTotals => ({
  calls: 0,
  tokensIn: 0,
  tokensOut: 0,
  gpuSeconds: 0,
  costUsd: 0,
});

/** Both together. */
export const addTotals = (sum: LedgerTotals, more: LedgerTotals): LedgerTotals => ({
  calls: sum.calls + more.calls,
  tokensIn: sum.tokensIn + more.tokensIn,
  tokensOut: sum.tokensOut + more.tokensOut,
  gpuSeconds: sum.gpuSeconds + more.gpuSeconds,
  costUsd: sum.costUsd + more.costUsd,
});

export function priced(
  use: { tokensIn: number; tokensOut: number; gpuSeconds: number },
  price: ModelPrice = {},
): Amount {
  const { usdPerMillionTokensIn = 0, usdPerMillionTokensOut = 0, usdPerGpuHour = 0 } = price;
  const usd =
    (use.tokensIn * usdPerMillionTokensIn + use.tokensOut * usdPerMillionTokensOut) / 1e6 +
    (use.gpuSeconds * usdPerGpuHour) / 3600;
  return { tokens: use.tokensIn + use.tokensOut, usd, gpu_seconds: use.gpuSeconds };
}

/** Seconds that the server was busy: loading, prefill and generation, or its total where it reports no parts. */
export function gpuSecondsOf(actual: LedgerActual): number {
  const parts = actual.loadNs + actual.promptEvalNs + actual.evalNs;
  return (parts > 0 ? parts : actual.totalNs) / 1e9;
}

/** The server's figures as integers that are not negative; anything else it may send counts as 0. */
export const cleanActual = (actual: LedgerActual): LedgerActual => ({
  tokensIn: count(actual.tokensIn),
  tokensOut: count(actual.tokensOut),
  totalNs: count(actual.totalNs),
  loadNs: count(actual.loadNs),
  promptEvalNs: count(actual.promptEvalNs),
  evalNs: count(actual.evalNs),
});

/** An estimate in whole tokens; a single NaN would make every sum NaN. */
export const cleanEstimate = (call: LedgerEstimate): LedgerEstimate => ({
  ...call,
  iteration: count(call.iteration),
  tokensIn: count(call.tokensIn),
  tokensOut: count(call.tokensOut),
  ...(call.gpuSeconds !== undefined && {
    gpuSeconds: Number.isFinite(call.gpuSeconds) ? Math.max(0, call.gpuSeconds) : 0,
  }),
});

const count = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER) : 0;
