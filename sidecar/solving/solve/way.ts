/** The form of every way of working on a task. `executors/ways.ts` has the table of those that use a model. */
import type { PlanItem } from '../result/build-result.ts';
import type { TaskModels } from '../model-calls/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { Survey } from './survey.ts';

export interface Way {
  /** Works until the first ending. Rejects only for bugs and a failing disk. */
  run(): Promise<Ending>;
  /** Goes on after failed checks; missing where nothing can be corrected (a shell command). `number` counts from 1. */
  correct?(message: string, number: number): Promise<Ending>;
  /** The plan's document and what it tracks, as it stands now. */
  plan?(): PlanSoFar | undefined;
}

export interface PlanSoFar {
  plan: string;
  planItems: PlanItem[];
}

/** An attempt at a task: its run, its models, and what is known of the tree before it begins. */
export interface Attempt {
  readonly run: TaskRun;
  readonly models: TaskModels;
  readonly survey: Survey;
}

/** A way that needs a model. */
export interface ModelWay {
  open(attempt: Attempt): Way;
  /** It uses the survey, which is then made while the model is loaded. */
  readonly isSurveyed?: boolean;
}
