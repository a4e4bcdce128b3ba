/**
 * Whether this worker may take a new task now. The codes begin with
 * `worker_`: they are about this worker and not about the task, which another one may run.
 */
import { freeDiskBytesSync, mebibytes } from '../system/free-disk.ts';
import type { WorkerState } from './worker.ts';

export interface Room {
  state: WorkerState;
  /** How much disk space is missing. */
  diskFull: string | undefined;
  /** Why the model server is away. */
  modelAway: string | undefined;
}

/** Why no new task is taken, or undefined. */
export function whyClosed({ state, diskFull, modelAway }: Room): string | undefined {
  if (state === 'draining' || state === 'stopped') return 'worker_draining: this worker takes no new tasks';
  if (modelAway !== undefined) return `worker_model_away: ${modelAway}`;
  return diskFull === undefined ? undefined : `worker_disk_full: ${diskFull}`;
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
