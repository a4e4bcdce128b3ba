/**
 * One attempt at a task: its run and what solves it. `executeWithVerification` drives it: run, check, correct, and close
 * at the end in every case.
 */
import type { OnProgress } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import type { EndedAttempt } from './attempts/ended-attempt.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { WayOfSolving } from './way-of-solving.ts';

export interface Attempt {
  readonly run: TaskRun;
  readonly way: WayOfSolving;
  /** Name of the model; empty where none is used. */
  readonly model: string;
  /** Ends everything that the attempt owns. Safe to call twice. */
  close(): Promise<void>;
  /** Where the task may be tried again. */
  readonly series?: AttemptSeries;
}

/** The attempts at one task, of which the one that it belongs to is the first of this life. */
export interface AttemptSeries {
  /** Attempts at most. */
  readonly of: number;
  /** The task's own run, with the journal that all attempts share. */
  readonly run: TaskRun;
  /** Attempts of earlier lives. */
  readonly ended: readonly EndedAttempt[];
  /** Whether an attempt after these would have another model. */
  hasOtherModel(ended: readonly EndedAttempt[]): boolean;
  /** Opens the attempt after these. Rejects only for a failing disk. */
  next(ended: readonly EndedAttempt[]): Promise<Attempt>;
}

/** An attempt, or why there is none: the task then ends with `ending` and nothing was done. */
export type Opened = { ok: true; attempt: Attempt } | { ok: false; ending: Ending; model: string };

/** Opens attempts. `C` is what one execution is configured with. */
export interface AttemptOpener<C> {
  open(task: Task, config: C, emit: OnProgress): Promise<Opened>;
}

/** A run that is open, before anything solves it. */
export interface OpenedRun {
  run: TaskRun;
  /** Adds what is to be ended before the run is closed. */
  onClose: CleanupStack['add'];
  close: () => Promise<void>;
}
