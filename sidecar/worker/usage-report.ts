/** Reports the usage of a task on this worker, over all its runs, to the hub. */
import type { HubLink } from './hub-link/hub-link.ts';
import type { Clock } from '../base/ports.ts';
import type { UsageReport } from '../base/protocol/events.ts';
import type { Ledger } from '../solving/run-ports.ts';

export type TaskTotalsReader = Pick<Ledger, 'readTaskTotals'>;

/** Returns the usage of a task; undefined if no model was called. */
export function usageOf(ledger: TaskTotalsReader, taskId: string): UsageReport | undefined {
  const { calls, tokensIn, tokensOut, costUsd } = ledger.readTaskTotals(taskId);
  if (calls === 0) return undefined;
  return { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: costUsd, iterations: calls };
}

interface UsageReporter {
  ledger: TaskTotalsReader;
  link: Pick<HubLink, 'hub' | 'sendProgress'>;
  clock: Pick<Clock, 'now'>;
}

/** Sends a last event with the usage of a task that sends no result, if the hub reads the usage. */
export function reportUsage({ ledger, link, clock }: UsageReporter, taskId: string): void {
  const usage = usageOf(ledger, taskId);
  if (!usage || !link.hub.features.used) return;
  const text = `Gave up the task after ${usage.tokens_in} input tokens and ${usage.tokens_out} output tokens`;
  link.sendProgress(taskId, { event_type: 'status', text, used: usage, timestamp: clock.now() });
}
