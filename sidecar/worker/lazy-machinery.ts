/** Loads what tasks are run with, once: when the first task asks, or soon after the start. */
import type { CleanupStack } from '../system/cleanup-stack.ts';
import type { MachineryOptions, TaskMachinery } from './task-machinery.ts';

/** A daemon has its first second for itself; a task that comes sooner loads what it needs. */
const LOAD_DELAY_MS = 250;

export interface LazyMachinery {
  machinery: () => Promise<TaskMachinery>;
  /** Loads it in a moment, in the background. */
  soon: () => void;
}

export function loadWhenNeeded(options: MachineryOptions, opened: CleanupStack): LazyMachinery {
  let loading: Promise<TaskMachinery> | undefined;
  const load = async () => (await import('./task-machinery.ts')).createTaskMachinery(options);
  const machinery = () => (loading ??= load());
  return {
    machinery,
    soon: () => {
      // A failure is the first task's to tell.
      opened.add(options.clock.schedule(LOAD_DELAY_MS, () => void machinery().catch(() => undefined)));
    },
  };
}
