/** A worker's report of a finished task, as columns. Lenient: other workers' results have fewer fields. */
import { isRecord } from '../../values/json.ts';
import type { TaskRow } from '../storage/tables.ts';
import type { ReportedUse, Used } from './attempts.ts';

export interface ReportedResult {
  /** Missing where an attempt failed without one. */
  result?: Record<string, unknown> | undefined;
  tokensUsed?: number | undefined;
  /** What the worker has used for the task in all; other workers report in the result what this attempt used. */
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

/** `partial` only where the result says so: a plain worker's result has no status and counts as done. */
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

/** What was used until the end of an attempt. */
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

/** `used` of an event or of the end of an attempt. */
export const usedOf = (used: Record<string, unknown>): Used => ({
  tokens_in: integer(used.tokens_in),
  tokens_out: integer(used.tokens_out),
  cost_usd: number(used.cost_usd),
  iterations: integer(used.iterations),
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 512) : null);
/** More than any run uses, and small enough that sums do not overflow. */
const MAX_FIGURE = 1e12;
const number = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_FIGURE ? value : null;
const integer = (value: unknown): number | null => (Number.isInteger(value) ? number(value) : null);
