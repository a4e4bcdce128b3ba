/**
 * Waits for a lock that the workers of one machine share (repository caches, docs/dev/operations.md). The guarded work is safe without the
 * lock, since git locks its own refs. The lock only avoids duplicate work.
 */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../base/ports.ts';
import { takeOwnerLock } from '../base/system/owner-lock.ts';
import { failure, type Outcome } from '../base/values/outcome.ts';

const RETRY_MS = 25;

export interface LockOptions {
  clock: Clock;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Runs `work` while holding the lock. Gives up after `timeoutMs` or on abort. */
export async function withFileLock<T>(
  path: string,
  { clock, timeoutMs, signal }: LockOptions,
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const startMs = clock.monotonicMs();
  for (;;) {
    if (signal?.aborted) return failure('aborted', 'Stopped while waiting for the repository cache');
    const lock = takeOwnerLock(path);
    if (lock.ok) return work().finally(() => lock.lock.release());
    if (clock.monotonicMs() - startMs > timeoutMs) {
      const message = `${path}: ${lock.heldBy} has held the lock for more than ${timeoutMs} ms`;
      return failure('workspace_lock_timeout', message, true);
    }
    // Waits for a real timer and not for `clock`, since the holder of the lock is another process. The timer also keeps this process
    // running.
    await setTimeout(RETRY_MS);
  }
}
