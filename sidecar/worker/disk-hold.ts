/** A task that comes while there is too little disk space waits for room, rather than fail for a reason that is not its own. */
import type { Clock } from '../ports.ts';
import { sleep } from '../system/clock.ts';

const LOOK_AGAIN_MS = 10_000;

export interface DiskHold {
  /** How much is missing, in words; undefined while there is room. */
  whyFull: () => string | undefined;
  /** So long at most; what begins then fails with the reason. */
  limitMs: number;
  clock: Clock;
  /** Aborted when the task is to stop. */
  stopping: AbortSignal;
  /** Told when the waiting begins and when it ends. */
  tell: (text: string) => void;
}

/** Resolves when there is room, at the limit, or when the task is to stop. */
export async function holdForDisk({ whyFull, limitMs, clock, stopping, tell }: DiskHold): Promise<void> {
  const why = whyFull();
  if (why === undefined || limitMs <= 0) return;
  tell(`Held: waiting for disk space (${why})`);
  const sinceMs = clock.monotonicMs();
  const heldMs = () => clock.monotonicMs() - sinceMs;
  while (whyFull() !== undefined && heldMs() < limitMs && !stopping.aborted) {
    await sleep(clock, Math.min(LOOK_AGAIN_MS, limitMs - heldMs()), stopping);
  }
  if (stopping.aborted) return;
  const seconds = Math.round(heldMs() / 1000);
  tell(
    whyFull() === undefined
      ? `There is disk space again after ${seconds} s: going on`
      : `No disk space came free within ${seconds} s (limits.holdTimeoutMs)`,
  );
}
