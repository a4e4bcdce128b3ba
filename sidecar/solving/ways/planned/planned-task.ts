/** Declares the parts that the three stages of a planned task share. */
import type { PlanManager } from '../../plan/plan-manager.ts';
import type { PlanStep } from '../../plan/task-list.ts';
import type { TerminationReason } from '../../../base/protocol/result.ts';
import type { AgentLoop } from '../../loop/agent-loop.ts';
import type { TaskModels } from '../../model-calls/models/task-models.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';

export interface PlannedTask {
  readonly run: TaskRun;
  /** The models of the task. Its own model works on the steps; planning and summary may use other models. */
  readonly models: TaskModels;
  /** Runs the steps. Each step is a stage of this loop. */
  readonly loop: AgentLoop;
  readonly plan: PlanManager;
  /** Message that contains the task. */
  readonly taskMessage: string;
}

/** Record of a step that the model has worked on. */
export interface StepRecord {
  step: PlanStep;
  done: boolean;
  ending: Ending;
  tools: string[];
}

export interface StepResults {
  records: StepRecord[];
  /** Ending of the stage, if it ended before its last step. */
  earlyEnding?: Ending;
}

/** Maximum number of turns of a step. */
export const MAX_STEP_ITERATIONS = 10;
/** Factor of the tier's turn limit, for all steps together. */
export const STEPS_LIMIT_FACTOR = 3;

const TASK_ENDINGS: ReadonlySet<TerminationReason> = new Set([
  'cancelled',
  'shutdown',
  'timeout',
  'budget_exhausted',
  'model_error',
]);

/** Returns whether an ending also prevents all further steps. */
export const endsTask = ({ reason }: Ending): boolean => TASK_ENDINGS.has(reason);
