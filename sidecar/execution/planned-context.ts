/** What the three stages of a planned task share. */
import type { PlanManager } from '../plan/plan-manager.ts';
import type { PlanStep } from '../plan/task-list.ts';
import type { TaskJournal } from '../ports.ts';
import type { TerminationReason } from '../protocol/result.ts';
import type { AgentKit } from './agent-kit.ts';
import type { AskBase } from './ask.ts';
import type { AttemptParts } from './attempt-parts.ts';
import type { Ending } from './ending.ts';
import type { StageModels } from './stage-models.ts';

export interface PlannedContext {
  /** The task's own model, which does the steps. */
  base: AskBase;
  stages: StageModels;
  kit: AgentKit;
  plan: PlanManager;
  parts: AttemptParts;
  journal: TaskJournal | undefined;
  /** The task's own message. */
  taskMessage: string;
}

/** A step that was worked on. */
export interface StepRecord {
  step: PlanStep;
  done: boolean;
  ending: Ending;
  tools: string[];
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
