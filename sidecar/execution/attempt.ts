/**
 * One attempt at a task: its run and what solves it. `executeWithVerification` drives it: run, check, correct, and close
 * at the end in every case.
 */
import type { OnProgress } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { Ending } from './task/ending.ts';
import type { TaskRun } from './task/task-run.ts';
import type { WayOfSolving } from './way-of-solving.ts';

export interface Attempt {
  readonly run: TaskRun;
  readonly way: WayOfSolving;
  /** Name of the model; empty where none is used. */
  readonly model: string;
  /** Ends everything that the attempt owns. Safe to call twice. */
  close(): Promise<void>;
}

/** An attempt, or why there is none: the task then ends with `ending` and nothing was done. */
export type Opened = { ok: true; attempt: Attempt } | { ok: false; ending: Ending; model: string };

/** Opens attempts. `C` is what one execution is configured with. */
export interface AttemptOpener<C> {
  open(task: Task, config: C, emit: OnProgress): Promise<Opened>;
}
