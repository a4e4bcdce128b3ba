/** Converts a worker's report of a finished task to columns. Lenient: results of other workers have fewer fields. */
import { isRecord } from '../../base/values/json.ts';
import type { TaskRow } from '../storage/tables.ts';
import type { ReportedUse, Used } from './attempts.ts';

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

/** Returns the columns of a result. A plain worker's result has no status and counts as a success. */
export function outcomeColumns({ result = {}, verificationReport }: ReportedResult): OutcomeColumns {
  const report = verificationReport ?? result.verification_report;
  return {
    status: result.status === 'partial' ? 'partial' : 'success',
    result: JSON.stringify(result),
    verification_report: isRecord(report) ? JSON.stringify(report) : null,
    model_used: text(result.model_used),
    verification_status: text(result.verification_status),
    termination_reason: text(result.termination_reason),
    has_follow_up: isRecord(result.follow_up) ? 1 : 0,
  };
}

/** Returns the usage that the result reports. */
export function reportedUse({ result = {}, tokensUsed, used }: ReportedResult): ReportedUse {
  const model = text(result.model_used);
  if (used) return { model, used: usedOf(used), isOfWorker: true };
  const ofResult = {
    tokens_in: integer(result.tokens_in),
    tokens_out: integer(result.tokens_out) ?? integer(tokensUsed ?? result.tokens_used),
    cost_usd: number(result.estimated_cost_usd),
    iterations: integer(result.iterations_used),
  };
  return { model, used: ofResult, isOfWorker: false };
}

/** Converts a `used` object of a frame; invalid figures become null. */
export const usedOf = (used: Record<string, unknown>): Used => ({
  tokens_in: integer(used.tokens_in),
  tokens_out: integer(used.tokens_out),
  cost_usd: number(used.cost_usd),
  iterations: integer(used.iterations),
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 512) : null);
/** Upper bound of a reported figure, so that sums cannot overflow. */
const MAX_FIGURE = 1e12;
const number = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_FIGURE ? value : null;
const integer = (value: unknown): number | null => (Number.isInteger(value) ? number(value) : null);
