/** What every way of solving a task is, and what one is opened with. `ways.ts` has the table of them. */
import type { VerificationReport } from '../protocol/result.ts';
import type { PlanItem } from '../verification/build-result.ts';
import type { ComingModel } from '../asking/models/ready-model.ts';
import type { TaskModels } from '../asking/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';

export interface WayOfSolving {
  /** Works until the first ending. Rejects only for bugs and a failing disk. */
  run(): Promise<Ending>;
  /** Goes on after failed checks; missing where nothing can be corrected (a shell command). `number` counts from 1. */
  correct?(message: string, number: number): Promise<Ending>;
  /** What the checks said of the tree before the work, where this way ran them then. Rejects only for a failing disk. */
  base?(): Promise<VerificationReport | undefined>;
  /** The plan's document and what it tracks, as it stands now. */
  plan?(): { plan: string; planItems: PlanItem[] } | undefined;
}

/** A way that waits for its models. */
export interface WaitingWay {
  /** The model is about to be loaded: what needs none of its answers begins. The tree is as the way is to find it. */
  begin?(model: ComingModel): void;
  open(models: TaskModels): WayOfSolving;
  /** Ends what `begin` has begun and waits for its end. Safe to call twice. Never rejects. */
  close?(): Promise<void>;
}

export type OpenWay = (run: TaskRun) => WaitingWay;

/** For a way that does nothing before its models are there. */
export const withModels =
  (open: (run: TaskRun, models: TaskModels) => WayOfSolving): OpenWay =>
  (run) => ({ open: (models) => open(run, models) });
