/** Budgets of all scopes and the one rule that says when a call no longer fits. Pure. */
import type { Exhausted, LedgerEstimate } from '../ports.ts';
import { units, type Amount } from './amount.ts';

/** Limits of one scope; every one that is given holds. The configuration's `budgets` has these shapes. */
export interface BudgetLimits {
  maxTokens?: number;
  maxUsd?: number;
  maxGpuSeconds?: number;
}
export interface LedgerBudgets {
  perTask?: BudgetLimits;
  /** In any 60 minutes. */
  perHour?: BudgetLimits;
  /** In any 24 hours. */
  perDay?: BudgetLimits;
  /** By model name, in any 24 hours. */
  perModel?: Record<string, BudgetLimits>;
}

/** Limit by unit; Infinity where there is none. */
export type Limits = Readonly<Amount>;

export const limitsOf = (budget: BudgetLimits = {}): Limits => ({
  tokens: budget.maxTokens ?? Number.POSITIVE_INFINITY,
  usd: budget.maxUsd ?? Number.POSITIVE_INFINITY,
  gpu_seconds: budget.maxGpuSeconds ?? Number.POSITIVE_INFINITY,
});

/** The task's own budget and the configured one: the stricter of both holds. */
export function stricter(configured: Limits, own: LedgerEstimate['budget']): Limits {
  if (!own) return configured;
  return {
    tokens: Math.min(configured.tokens, own.max_tokens ?? Number.POSITIVE_INFINITY),
    usd: Math.min(configured.usd, own.max_usd ?? Number.POSITIVE_INFINITY),
    gpu_seconds: Math.min(configured.gpu_seconds, own.max_gpu_seconds ?? Number.POSITIVE_INFINITY),
  };
}

/** The first unit in which `estimate` on top of `used` passes `limits`. */
export function unitExceeded(
  limits: Limits,
  used: Readonly<Amount>,
  estimate: Amount,
): Exhausted['unit'] | undefined {
  return units.find((unit) => used[unit] + estimate[unit] > limits[unit]);
}
