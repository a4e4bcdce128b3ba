/** The sums that this worker has used for a task since it first had it, for its hub. */
import type { HubLink } from './hub-link/hub-link.ts';
import type { Clock, Ledger } from '../base/ports.ts';
import type { UsedReport } from '../base/protocol/events.ts';

export type TaskTotals = Pick<Ledger, 'taskTotals'>;

/** Undefined if no model was asked. */
export function usedFor(ledger: TaskTotals, taskId: string): UsedReport | undefined {
  const { calls, tokensIn, tokensOut, costUsd } = ledger.taskTotals(taskId);
  if (calls === 0) return undefined;
  return { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: costUsd, iterations: calls };
}

interface Reporting {
  ledger: TaskTotals;
  link: Pick<HubLink, 'hub' | 'progress'>;
  clock: Pick<Clock, 'now'>;
}

/** The last event of a task that sends no result: a hub that reads it gets what it used. */
export function reportUsed({ ledger, link, clock }: Reporting, taskId: string): void {
  const used = usedFor(ledger, taskId);
  if (!used || !link.hub.features.used) return;
  const text = `Given up; until then it used ${used.tokens_in} tokens in and ${used.tokens_out} out`;
  link.progress(taskId, { event_type: 'status', text, used, timestamp: clock.now() });
}
