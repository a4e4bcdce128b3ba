/** Converts a worker's report of a finished task to columns. Lenient: results of other workers have fewer fields. */
import { isRecord } from '../../base/values/json.ts';
import type { TaskRow } from '../storage/tables.ts';
import type { UsageOfAttempt, ReportedUsage } from './attempts.ts';

export interface ReportedResult {
  /** Undefined if the attempt failed without a result. */
  result?: Record<string, unknown> | undefined;
  tokensUsed?: number | undefined;
  /** The worker's total usage for the task; other workers report the usage of this attempt in the result. */
  used?: Record<string, unknown> | undefined;
  verificationReport?: Record<string, unknown> | undefined;
}

type OutcomeColumns = Pick<
  TaskRow,
  | 'result'
  | 'verification_report'
  | 'model_used'
  | 'verification_status'
  | 'termination_reason'
  | 'has_follow_up'
> & { status: 'success' | 'partial' };

/** Converts a result to the task's columns. The result of a plain worker has no status and counts as a success. */
export function outcomeColumnsOf({ result = {}, verificationReport }: ReportedResult): OutcomeColumns {
  const report = verificationReport ?? result.verification_report;
  return {
    status: result.status === 'partial' ? 'partial' : 'success',
    result: JSON.stringify(result),
    verification_report: isRecord(report) ? JSON.stringify(report) : null,
    model_used: textOrNull(result.model_used),
    verification_status: textOrNull(result.verification_status),
    termination_reason: textOrNull(result.termination_reason),
    has_follow_up: isRecord(result.follow_up) ? 1 : 0,
  };
}

/** Returns the usage that the result reports. */
export function reportedUsageOf({ result = {}, tokensUsed, used }: ReportedResult): UsageOfAttempt {
  const model = textOrNull(result.model_used);
  if (used) return { model, usage: usageOf(used), isFromWorker: true };
  const resultUsage = {
    tokens_in: integerOrNull(result.tokens_in),
    tokens_out: integerOrNull(result.tokens_out) ?? integerOrNull(tokensUsed ?? result.tokens_used),
    cost_usd: numberOrNull(result.estimated_cost_usd),
    iterations: integerOrNull(result.iterations_used),
  };
  return { model, usage: resultUsage, isFromWorker: false };
}

/** Converts a `used` object of a frame; invalid figures become null. */
export const usageOf = (used: Record<string, unknown>): ReportedUsage => ({
  tokens_in: integerOrNull(used.tokens_in),
  tokens_out: integerOrNull(used.tokens_out),
  cost_usd: numberOrNull(used.cost_usd),
  iterations: integerOrNull(used.iterations),
});

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 512) : null;
/** Upper bound of a reported figure, so that sums cannot overflow. */
const MAX_FIGURE = 1e12;
const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_FIGURE ? value : null;
const integerOrNull = (value: unknown): number | null =>
  Number.isInteger(value) ? numberOrNull(value) : null;
