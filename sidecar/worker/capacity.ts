/**
 * Whether this worker may take another task, and whether one that it took may begin: the number of its tasks, a drain, its
 * model servers, its disk. The codes begin with `worker_`: they are about this worker and not about the task, which
 * another one may run.
 */
import type { Refusal } from './hub-link/hub-adapter.ts';
import type { Clock } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { sleep } from '../base/system/clock.ts';
import { freeDiskBytesSync, mebibytes } from '../base/system/free-disk.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { Worker } from './worker.ts';

const LOOK_AGAIN_MS = 10_000;

/** What decides whether another task is taken. */
export interface Capacity {
  active: Pick<ActiveTasks, 'unfinished'>;
  /** Tasks that may be taken at once, running and waiting. */
  mostTasks: number;
  worker: Pick<Worker, 'isDraining'>;
  /** Why the task could not be worked on, in words. */
  whyNotReady: (task: Task) => string | undefined;
  /** How much disk space is missing, in words. */
  diskShortage: () => string | undefined;
}

/**
 * Why no new task is taken, or undefined. A hub that does not read `worker_status` would count a refusal as an attempt:
 * there a task waits in the queue of this worker until there is space on its disk.
 */
export function refusalOf(
  { active, mostTasks, worker, whyNotReady, diskShortage }: Capacity,
  hub: { worker_status: boolean },
  task: Task,
): Refusal | undefined {
  const closed = (error: string): Refusal => ({ kind: 'closed', error });
  if (active.unfinished >= mostTasks) {
    return { kind: 'busy', error: 'worker_busy: this worker runs and queues as many tasks as it may' };
  }
  if (worker.isDraining) return closed('worker_draining: this worker takes no new tasks');
  const notReady = whyNotReady(task);
  if (notReady !== undefined) return closed(`worker_model_away: ${notReady}`);
  if (!hub.worker_status) return undefined;
  const diskFull = diskShortage();
  return diskFull === undefined ? undefined : closed(`worker_disk_full: ${diskFull}`);
}

/** How much is missing to the floor below which no task is taken, or undefined. */
export function diskShortageAt(folder: string, minFreeBytes: number): string | undefined {
  const freeBytes = knownFreeBytes(folder);
  if (freeBytes >= minFreeBytes) return undefined;
  return `${mebibytes(freeBytes)} are free where worker.minFreeDiskBytes wants ${mebibytes(minFreeBytes)}`;
}

/** A disk that cannot be asked is not full; what is wrong with it shows where it is used. */
function knownFreeBytes(folder: string): number {
  try {
    return freeDiskBytesSync(folder);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export interface DiskWait {
  /** How much is missing, in words; undefined while there is enough. */
  shortage: () => string | undefined;
  /** Longest wait; what begins after it fails with the reason. */
  limitMs: number;
  clock: Clock;
  /** Aborted when the task is to stop. */
  stopping: AbortSignal;
  /** Called when the wait begins and when it ends; then `onHold` is empty. */
  emit: (text: string, onHold: string) => void;
}

/**
 * A task that finds too little disk space waits, rather than fail for a reason that is not its own. Resolves when there is
 * space, at the limit, or when the task is to stop.
 */
export async function waitForDisk({ shortage, limitMs, clock, stopping, emit }: DiskWait): Promise<void> {
  const why = shortage();
  if (why === undefined || limitMs <= 0) return;
  emit(`Waiting for disk space (${why})`, `waiting for disk space (${why})`);
  const sinceMs = clock.monotonicMs();
  const waitedMs = () => clock.monotonicMs() - sinceMs;
  while (shortage() !== undefined && waitedMs() < limitMs && !stopping.aborted) {
    await sleep(clock, Math.min(LOOK_AGAIN_MS, limitMs - waitedMs()), stopping);
  }
  if (stopping.aborted) return;
  const seconds = Math.round(waitedMs() / 1000);
  emit(
    shortage() === undefined
      ? `There is disk space again after ${seconds} s: going on`
      : `No disk space came free within ${seconds} s (limits.holdTimeoutMs)`,
    '',
  );
}
