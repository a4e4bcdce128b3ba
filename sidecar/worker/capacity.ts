/**
 * Decides whether this worker may take another task, and whether a taken task may begin: by the number of its tasks, a drain, its model
 * servers, and its disk. The codes begin with `worker_`: another worker may run the task.
 */
import type { TaskRefusal } from './hub-link/hub-adapter.ts';
import type { Clock } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { sleep } from '../base/system/clock.ts';
import { measureFreeDiskSync, formatMebibytes } from '../base/system/free-disk.ts';
import type { ActiveTasks } from './active-tasks.ts';
import type { Worker } from './worker.ts';

const RECHECK_INTERVAL_MS = 10_000;

/** Parts of the worker that `refusalOf` decides by. */
export interface Capacity {
  active: Pick<ActiveTasks, 'unfinishedCount'>;
  /** Maximum number of taken tasks, running and waiting. */
  maxTasks: number;
  worker: Pick<Worker, 'isDraining'>;
  /** Returns why this worker cannot run the task, as text; undefined if it can. */
  explainNotReady: (task: Task) => string | undefined;
  /** Returns how much disk space is missing, as text. */
  explainDiskShortage: () => string | undefined;
}

/**
 * Returns why the worker takes no new task; undefined if it takes one. A hub that does not read `worker_status` would
 * count a refusal as an attempt, so its tasks wait in this worker's queue until the disk has space.
 */
export function refusalOf(
  { active, maxTasks, worker, explainNotReady, explainDiskShortage }: Capacity,
  hub: { worker_status: boolean },
  task: Task,
): TaskRefusal | undefined {
  const buildClosedRefusal = (error: string): TaskRefusal => ({ kind: 'closed', error });
  if (active.unfinishedCount >= maxTasks) {
    return { kind: 'busy', error: 'worker_busy: this worker runs and queues its maximum number of tasks' };
  }
  if (worker.isDraining) return buildClosedRefusal('worker_draining: this worker takes no new tasks');
  const notReadyText = explainNotReady(task);
  if (notReadyText !== undefined) return buildClosedRefusal(`worker_model_away: ${notReadyText}`);
  if (!hub.worker_status) return undefined;
  const shortageText = explainDiskShortage();
  return shortageText === undefined ? undefined : buildClosedRefusal(`worker_disk_full: ${shortageText}`);
}

/** Returns how much disk space is missing for new tasks, as text; undefined if there is enough. */
export function describeDiskShortage(folder: string, minFreeBytes: number): string | undefined {
  const freeBytes = readFreeBytes(folder);
  if (freeBytes >= minFreeBytes) return undefined;
  return `${formatMebibytes(freeBytes)} are free; worker.minFreeDiskBytes requires ${formatMebibytes(minFreeBytes)}`;
}

/**
 * Returns the free disk space. A disk that cannot be read counts as free, because its error is reported when it is
 * used.
 */
function readFreeBytes(folder: string): number {
  try {
    return measureFreeDiskSync(folder);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export interface DiskWaitOptions {
  /** Returns how much disk space is missing, as text; undefined if there is enough. */
  explainShortage: () => string | undefined;
  /** Maximum wait; after it the task begins anyway and fails because of the full disk. */
  limitMs: number;
  clock: Clock;
  /** Aborted when the task has to stop. */
  stopSignal: AbortSignal;
  /** Called at the start and at the end of the wait; at the end `onHold` is empty. */
  emit: (text: string, onHold: string) => void;
}

/**
 * Waits while there is too little disk space, so that the task does not fail for a reason of the worker. Resolves when
 * there is space, at the limit, or when the task has to stop.
 */
export async function waitForDisk({
  explainShortage,
  limitMs,
  clock,
  stopSignal,
  emit,
}: DiskWaitOptions): Promise<void> {
  const shortageText = explainShortage();
  if (shortageText === undefined || limitMs <= 0) return;
  emit(`Waiting for disk space (${shortageText})`, `waiting for disk space (${shortageText})`);
  const startedMs = clock.monotonicMs();
  const waitedMs = () => clock.monotonicMs() - startedMs;
  while (explainShortage() !== undefined && waitedMs() < limitMs && !stopSignal.aborted) {
    await sleep(clock, Math.min(RECHECK_INTERVAL_MS, limitMs - waitedMs()), stopSignal);
  }
  if (stopSignal.aborted) return;
  const seconds = Math.round(waitedMs() / 1000);
  emit(
    explainShortage() === undefined
      ? `There is enough disk space again after ${seconds} s; the task continues`
      : `Stopped waiting for disk space after ${seconds} s (limits.holdTimeoutMs)`,
    '',
  );
}
