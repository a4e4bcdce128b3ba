/**
 * One task being worked on, whatever works on it: the loop, a single call, a planned workflow, a shell command.
 * `executeWithVerification` drives it: run, check, correct, and close at the end in every case.
 */
import type { Clock, ExecutionEnvironment, OnProgress, TaskJournal } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { PlanItem } from '../verification/build-result.ts';
import type { PreparedWorkspace } from '../workspace/task-workspace.ts';
import type { Ending } from './ending.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunTotals } from './run-totals.ts';
import type { TaskControl } from './task-control.ts';

export interface Attempt {
  readonly workspace: PreparedWorkspace;
  readonly clock: Clock;
  readonly env: ExecutionEnvironment;
  readonly control: TaskControl;
  readonly limits: RunLimits;
  readonly totals: RunTotals;
  readonly model: string;
  /** The task's memory; without one a crash loses the work. */
  readonly journal?: TaskJournal;
  /** Serialised plan of a planned workflow and what it tracks, as it stands now. */
  plan?(): { plan: string; planItems: PlanItem[] } | undefined;
  /** Works until the first ending. Rejects only for bugs and a failing disk. */
  run(): Promise<Ending>;
  /** Goes on after failed checks; missing where nothing can be corrected (a shell command). */
  correct?(message: string, number: number): Promise<Ending>;
  /** Ends everything that the attempt owns. Safe to call twice. */
  close(): Promise<void>;
}

/** Opens attempts. `open` fails as data: the task then ends with `ending` and nothing was done. */
export interface AttemptOpener<C> {
  open(
    task: Task,
    config: C,
    emit: OnProgress,
  ): Promise<{ ok: true; attempt: Attempt } | { ok: false; ending: Ending; model: string }>;
}
