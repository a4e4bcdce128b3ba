/** Every wait and count of the queue, in one place. */
import type { Clock } from '../../ports.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { DailyBudgets } from './budgets.ts';

/** The parts that each part of the queue works with. */
export interface QueueContext {
  store: HubStore;
  clock: Clock;
  timings: QueueTimings;
  budgets?: DailyBudgets | undefined;
}

export interface QueueTimings {
  /** An assignment that is not accepted within this time is taken back. */
  acceptTimeoutMs: number;
  /** A running task whose worker says nothing about it for this long is taken back. */
  leaseMs: number;
  /** How long a worker that comes back has to say which of its earlier assignments it still has. */
  claimMs: number;
  /** How long a worker that lost its connection is preferred for its tasks. */
  firstGoMs: number;
  /** Backoff of a retry: doubles from the first to the last. */
  retryMinMs: number;
  retryMaxMs: number;
  /** Failures until a task is a dead letter, unless the task says otherwise. */
  maxAttempts: number;
  /** Times that a task may be taken back from lost or silent workers, per allowed attempt. */
  reclaimsPerAttempt: number;
}

export const defaultTimings: QueueTimings = {
  acceptTimeoutMs: 60_000,
  leaseMs: 600_000,
  claimMs: 5_000,
  firstGoMs: 15_000,
  retryMinMs: 2_000,
  retryMaxMs: 300_000,
  maxAttempts: 3,
  reclaimsPerAttempt: 5,
};

/** Wait after so many failures, in milliseconds: exponential, with up to a fifth of jitter. */
export function retryDelayMs(failures: number, timings: QueueTimings, random: () => number): number {
  const delay = Math.min(timings.retryMaxMs, timings.retryMinMs * 2 ** Math.max(0, failures - 1));
  return Math.round(delay * (1 - random() / 5));
}
