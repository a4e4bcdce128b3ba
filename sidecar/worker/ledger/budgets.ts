/** The budgets of all scopes, and the rule that decides when a call no longer fits. Pure. */
import { units, type Amount } from './amount.ts';
import type { Exhausted, LedgerEstimate } from '../../solving/run-ports.ts';

/** Limits of one scope, as in the configuration's `budgets`. Every given limit applies. */
export interface BudgetSettings {
  maxTokens?: number;
  maxUsd?: number;
  maxGpuSeconds?: number;
}
export interface LedgerBudgets {
  perTask?: BudgetSettings;
  /** Limits in any 60 minutes. */
  perHour?: BudgetSettings;
  /** Limits in any 24 hours. */
  perDay?: BudgetSettings;
  /** Limits by model name, in any 24 hours. */
  perModel?: Record<string, BudgetSettings>;
}

/** Limit by unit; Infinity if there is none. */
export type UnitLimits = Readonly<Amount>;

/** Returns the limits of a budget, by unit. */
export const limitsOf = (budget: BudgetSettings = {}): UnitLimits => ({
  tokens: budget.maxTokens ?? Number.POSITIVE_INFINITY,
  usd: budget.maxUsd ?? Number.POSITIVE_INFINITY,
  gpu_seconds: budget.maxGpuSeconds ?? Number.POSITIVE_INFINITY,
});

/** Returns the stricter of the task's own and the configured limits, by unit. */
export function tightenLimits(configured: UnitLimits, taskBudget: LedgerEstimate['budget']): UnitLimits {
  if (!taskBudget) return configured;
  return {
    tokens: Math.min(configured.tokens, taskBudget.max_tokens ?? Number.POSITIVE_INFINITY),
    usd: Math.min(configured.usd, taskBudget.max_usd ?? Number.POSITIVE_INFINITY),
    gpu_seconds: Math.min(configured.gpu_seconds, taskBudget.max_gpu_seconds ?? Number.POSITIVE_INFINITY),
  };
}

/** Returns the first unit in which `used` plus `estimate` exceeds `limits`. */
export function findExceededUnit(
  limits: UnitLimits,
  used: Readonly<Amount>,
  estimate: Amount,
): Exhausted['unit'] | undefined {
  return units.find((unit) => used[unit] + estimate[unit] > limits[unit]);
}
