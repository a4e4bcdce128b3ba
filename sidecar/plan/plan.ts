/**
 * The plan of a task: its shape and how an empty one looks. Plans are values:
 * every change makes a new one. Times are milliseconds since the epoch; on disk they are ISO 8601 in UTC.
 */

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
  /** Only in plans of a planned workflow: what is to be done, in order; notes say what became of it. */
  steps?: PlanCriterion[];
  decisionsMade: PlanDecision[];
  decisionsRejected: PlanDecision[];
  executionLog: PlanLogEntry[];
  metadata: { createdAt: number; updatedAt: number; version: number };
}

/** A plan at its beginning; the criteria come from the task's `success_criteria`. */
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

/** The next version of a plan. */
export const changedPlan = (plan: Plan, changes: Partial<Plan>, nowMs: number): Plan => ({
  ...plan,
  ...changes,
  metadata: { ...plan.metadata, updatedAt: nowMs, version: plan.metadata.version + 1 },
});
