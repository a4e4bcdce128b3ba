/** The parts that the three stages of a planned task share. */
import type { PlanManager } from '../../plan/plan-manager.ts';
import type { PlanStep } from '../../plan/task-list.ts';
import type { TerminationReason } from '../../../base/protocol/result.ts';
import type { AgentLoop } from '../../loop/agent-loop.ts';
import type { TaskModels } from '../../model-calls/models/task-models.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';

export interface PlannedTask {
  readonly run: TaskRun;
  /** The task's own model works on the steps; planning and summary may use other models. */
  readonly models: TaskModels;
  /** Works on the steps, one loop stage each. */
  readonly loop: AgentLoop;
  readonly plan: PlanManager;
  /** The message with the task. */
  readonly taskMessage: string;
}

/** Record of a step that was worked on. */
export interface StepRecord {
  step: PlanStep;
  done: boolean;
  ending: Ending;
  tools: string[];
}

export interface ExecutedSteps {
  records: StepRecord[];
  /** Set if the stage ended before its last step. */
  stopped?: Ending;
}

/** Maximum number of turns for a step. */
export const MAX_STEP_ITERATIONS = 10;
/** The steps together get this multiple of the tier's limit. */
export const STAGE_LIMIT_FACTOR = 3;

const TASK_ENDINGS: ReadonlySet<TerminationReason> = new Set([
  'cancelled',
  'shutdown',
  'timeout',
  'budget_exhausted',
  'model_error',
]);

/** Returns whether an ending stops all further steps, too. */
export const endsTask = ({ reason }: Ending): boolean => TASK_ENDINGS.has(reason);
