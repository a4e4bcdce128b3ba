/** A worker's report of a finished task, as columns. Lenient: other workers' results have fewer fields. */
import { isRecord } from '../../values/json.ts';
import type { TaskRow } from '../storage/tables.ts';

export interface ReportedResult {
  result: Record<string, unknown>;
  tokensUsed?: number;
  verificationReport?: Record<string, unknown>;
}

type OutcomeColumns = Pick<
  TaskRow,
  | 'result'
  | 'verification_report'
  | 'model_used'
  | 'tokens_in'
  | 'tokens_out'
  | 'cost_usd'
  | 'iterations_used'
  | 'verification_status'
  | 'termination_reason'
  | 'has_follow_up'
> & { status: 'success' | 'partial' };

/** The cost of a task, as far as it is known. */
export type Used = Pick<TaskRow, 'tokens_in' | 'tokens_out' | 'cost_usd'>;
export const usedColumns = ({ tokens_in, tokens_out, cost_usd }: Used): Used => ({
  tokens_in,
  tokens_out,
  cost_usd,
});

/** `partial` only where the result says so: a plain worker's result has no status and counts as done. */
export function outcomeColumns({ result, tokensUsed, verificationReport }: ReportedResult): OutcomeColumns {
  const report = verificationReport ?? result.verification_report;
  return {
    status: result.status === 'partial' ? 'partial' : 'success',
    result: JSON.stringify(result),
    verification_report: isRecord(report) ? JSON.stringify(report) : null,
    model_used: text(result.model_used),
    tokens_in: integer(result.tokens_in),
    tokens_out: integer(result.tokens_out) ?? integer(tokensUsed ?? result.tokens_used),
    cost_usd: number(result.estimated_cost_usd),
    iterations_used: integer(result.iterations_used),
    verification_status: text(result.verification_status),
    termination_reason: text(result.termination_reason),
    has_follow_up: isRecord(result.follow_up) ? 1 : 0,
  };
}

/** The same from `execution_event.used`. */
export const usedOf = (used: Record<string, unknown>): Used => ({
  tokens_in: integer(used.tokens_in),
  tokens_out: integer(used.tokens_out),
  cost_usd: number(used.cost_usd),
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 512) : null);
/** More than any run uses, and small enough that sums do not overflow. */
const MAX_FIGURE = 1e12;
const number = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_FIGURE ? value : null;
const integer = (value: unknown): number | null => (Number.isInteger(value) ? number(value) : null);
