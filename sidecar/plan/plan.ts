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
  /** Only in planned workflows: the steps in order; notes give their outcome. */
  steps?: PlanCriterion[];
  decisionsMade: PlanDecision[];
  decisionsRejected: PlanDecision[];
  executionLog: PlanLogEntry[];
  metadata: { createdAt: number; updatedAt: number; version: number };
}

/** Creates a plan; the criteria come from the task's `success_criteria`. */
export function emptyPlan(nowMs: number, goal: string, criteria: readonly string[]): Plan {
  return {
    status: 'planning',
    goal,
    acceptanceCriteria: criteria.map((description) => ({ description, completed: false })),
    decisionsMade: [],
    decisionsRejected: [],
    executionLog: [],
    metadata: { createdAt: nowMs, updatedAt: nowMs, version: 1 },
  };
}

/** Returns the next version of a plan. */
export const nextPlan = (plan: Plan, changes: Partial<Plan>, nowMs: number): Plan => ({
  ...plan,
  ...changes,
  metadata: { ...plan.metadata, updatedAt: nowMs, version: plan.metadata.version + 1 },
});
