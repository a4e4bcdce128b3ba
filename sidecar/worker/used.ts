/** The sums that this worker has used for a task since it first had it, for its hub. */
import type { Ledger } from '../ports.ts';
import type { ExecutionEvent, UsedReport } from '../protocol/events.ts';

export type TaskTotals = Pick<Ledger, 'taskTotals'>;

/** Undefined where no model was asked. */
export function usedFor(ledger: TaskTotals, taskId: string): UsedReport | undefined {
  const { calls, tokensIn, tokensOut, costUsd } = ledger.taskTotals(taskId);
  if (calls === 0) return undefined;
  return { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: costUsd, iterations: calls };
}

/** The last event of a task that sends no result. */
export const usedEvent = (used: UsedReport, timestamp: number): ExecutionEvent => ({
  event_type: 'status',
  text: `Given up; until then it used ${used.tokens_in} tokens in and ${used.tokens_out} out`,
  used,
  timestamp,
});
