/** The parts that the three stages of a planned task share, and which model answers the questions before and after the steps. */
import type { PlanManager } from '../../plan/plan-manager.ts';
import type { PlanStep } from '../../plan/task-list.ts';
import type { TerminationReason } from '../../../base/protocol/result.ts';
import type { AgentLoop } from '../../loop/agent-loop.ts';
import type { TaskModels } from '../../model-calls/models/task-models.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';

export interface PlannedTask {
  readonly run: TaskRun;
  /** The task's own model does the steps; planning and summary may have others. */
  readonly models: TaskModels;
  /** Works on the steps, one stage each. */
  readonly loop: AgentLoop;
  readonly plan: PlanManager;
  /** The task's own message. */
  readonly taskMessage: string;
}

/** A step that was worked on. */
export interface StepRecord {
  step: PlanStep;
  done: boolean;
  ending: Ending;
  tools: string[];
}

export interface ExecutedSteps {
  records: StepRecord[];
  /** Why the stage ended before its last step. */
  stopped?: Ending;
}

/** Turns that a step gets. */
export const MAX_STEP_ITERATIONS = 10;
/** Together the steps get this many times the tier's limit. */
export const STAGE_LIMIT_FACTOR = 3;

const OF_THE_TASK: ReadonlySet<TerminationReason> = new Set([
  'cancelled',
  'shutdown',
  'timeout',
  'budget_exhausted',
  'model_error',
]);

/** Endings that no other step would escape. */
export const endsTask = ({ reason }: Ending): boolean => OF_THE_TASK.has(reason);
