/**
 * Whether this worker may take a new task now. The codes begin with
 * `worker_`: they are about this worker and not about the task, which another one may run.
 */
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
