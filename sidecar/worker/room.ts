/**
 * Whether this worker may take a new task now. The codes begin with
 * `worker_`: they are about this worker and not about the task, which another one may run.
 */
import { freeDiskBytesSync, mebibytes } from '../system/free-disk.ts';
import type { WorkerState } from './worker.ts';

export interface Room {
  state: WorkerState;
  /** Where worktrees are made. */
  folder: string;
  minFreeBytes: number;
  /** Why the model server is away, where the hub gives the task to another worker then. */
  modelAway: string | undefined;
}

/** Why no new task is taken, or undefined. */
export function whyClosed({ state, folder, minFreeBytes, modelAway }: Room): string | undefined {
  if (state === 'draining' || state === 'stopped') return 'worker_draining: this worker takes no new tasks';
  if (modelAway !== undefined) return `worker_model_away: ${modelAway}`;
  const full = whyDiskIsFull(folder, minFreeBytes);
  return full === undefined ? undefined : `worker_disk_full: ${full}`;
}

/** How much is missing to the floor below which no task is taken, or undefined. */
export function whyDiskIsFull(folder: string, minFreeBytes: number): string | undefined {
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
