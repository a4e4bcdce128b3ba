import type { Clock } from '../../base/ports.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { DailyBudgets } from './budgets.ts';

/** Dependencies shared by all parts of the queue. */
export interface QueueContext {
  store: HubStore;
  clock: Clock;
  timings: QueueTimings;
  budgets?: DailyBudgets | undefined;
}

export interface QueueTimings {
  /** How long a worker may take to accept an assignment before the task is requeued. */
  acceptTimeoutMs: number;
  /** How long a running task's worker may be silent before the task is requeued. */
  leaseMs: number;
  /** How long a reconnected worker may take to claim the assignments that it had before. */
  claimMs: number;
  /** How long a worker that lost its connection stays the preferred one for its tasks. */
  preferenceMs: number;
  /** Minimum backoff of a retry, which doubles up to `retryMaxMs`. */
  retryMinMs: number;
  /** Maximum backoff of a retry. */
  retryMaxMs: number;
  /** Number of failed attempts after which a task is a dead letter, unless the task sets its own limit. */
  maxAttempts: number;
  /** How often a task may be requeued from lost or silent workers, per allowed attempt. */
  reclaimsPerAttempt: number;
}

export const defaultTimings: QueueTimings = {
  acceptTimeoutMs: 60_000,
  leaseMs: 600_000,
  claimMs: 5_000,
  preferenceMs: 15_000,
  retryMinMs: 2_000,
  retryMaxMs: 300_000,
  maxAttempts: 3,
  reclaimsPerAttempt: 5,
};

/** Returns the delay before a retry: exponential in the number of failures, minus up to a fifth of jitter. */
export function computeRetryDelay(failures: number, timings: QueueTimings, random: () => number): number {
  const delay = Math.min(timings.retryMaxMs, timings.retryMinMs * 2 ** Math.max(0, failures - 1));
  return Math.round(delay * (1 - random() / 5));
}
