/** The plan of a task, as immutable values. Times are milliseconds since the epoch; on disk they are ISO 8601 in UTC. */

export interface PlanCriterion {
  description: string;
  completed: boolean;
  notes?: string;
}

export interface PlanDecision {
  title: string;
  rationale: string;
  alternatives?: string[];
  timestamp: number;
}

export interface PlanLogEntry {
  timestamp: number;
  action: string;
  result: string;
  toolsUsed: string[];
}

export interface Plan {
  status: 'planning' | 'in_progress' | 'blocked' | 'completed' | 'failed';
  goal: string;
  acceptanceCriteria: PlanCriterion[];
  /** Steps of a planned task, in order; `notes` contain their outcome. Undefined in other workflows. */
  steps?: PlanCriterion[];
  decisionsMade: PlanDecision[];
  decisionsRejected: PlanDecision[];
  executionLog: PlanLogEntry[];
}

/** Creates a plan. `criteria` come from the task's `success_criteria`. */
export function createPlan(goal: string, criteria: readonly string[]): Plan {
  return {
    status: 'planning',
    goal,
    acceptanceCriteria: criteria.map((description) => ({ description, completed: false })),
    decisionsMade: [],
    decisionsRejected: [],
    executionLog: [],
  };
}
