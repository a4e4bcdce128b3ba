/** The interface of every way of working on a task. `ways/ways.ts` lists the ways that use a model. */
import type { PlanItem } from '../result/build-result.ts';
import type { TaskModels } from '../model-calls/models/task-models.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { Survey } from './survey.ts';

export interface Way {
  /** Works until the first ending. Rejects only on bugs and storage errors. */
  run(): Promise<Ending>;
  /** Continues after failed checks; undefined if nothing can be corrected, as for a shell command. `number` counts from 1. */
  correct?(message: string, number: number): Promise<Ending>;
  /** Returns the current plan: its document and its items. */
  getPlanFields?(): CurrentPlan | undefined;
}

export interface CurrentPlan {
  plan: string;
  planItems: PlanItem[];
}

/** An attempt at a task: its run, its models, and the survey of the tree before it. */
export interface Attempt {
  readonly run: TaskRun;
  readonly models: TaskModels;
  readonly survey: Survey;
}

/** A way that needs a model. */
export interface ModelWay {
  open(attempt: Attempt): Way;
  /** Whether the way uses the survey, which then runs while the model is loaded. */
  readonly usesSurvey?: boolean;
}
