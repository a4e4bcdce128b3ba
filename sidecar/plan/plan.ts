/**
 * The plan of a task: its shape and how an empty one looks. Plans are values:
 * every change makes a new one. Times are milliseconds since the epoch; on disk they are ISO 8601 in UTC.
 */
import * as z from 'zod';

export const planStatuses = ['planning', 'in_progress', 'blocked', 'completed', 'failed'] as const;
export const planStatusSchema = z.enum(planStatuses);
export type PlanStatus = z.output<typeof planStatusSchema>;

/** The range of `Date`. */
const MAX_TIME_MS = 8_640_000_000_000_000;
const timeMs = z.number().int().min(-MAX_TIME_MS).max(MAX_TIME_MS);

export const criterionSchema = z.object({
  description: z.string(),
  completed: z.boolean(),
  notes: z.string().optional(),
});
export const decisionSchema = z.object({
  title: z.string(),
  rationale: z.string(),
  alternatives: z.array(z.string()).optional(),
  timestamp: timeMs,
});
export const logEntrySchema = z.object({
  timestamp: timeMs,
  action: z.string(),
  result: z.string(),
  toolsUsed: z.array(z.string()),
});
export const planSchema = z.object({
  status: planStatusSchema,
  goal: z.string(),
  acceptanceCriteria: z.array(criterionSchema),
  /** Only in plans of a planned workflow: what is to be done, in order; notes say what became of it. */
  steps: z.array(criterionSchema).optional(),
  decisionsMade: z.array(decisionSchema),
  decisionsRejected: z.array(decisionSchema),
  executionLog: z.array(logEntrySchema),
  metadata: z.object({
    createdAt: timeMs,
    updatedAt: timeMs,
    version: z.number().int().nonnegative(),
  }),
});
export type Plan = z.output<typeof planSchema>;
export type PlanCriterion = z.output<typeof criterionSchema>;
export type PlanDecision = z.output<typeof decisionSchema>;
export type PlanLogEntry = z.output<typeof logEntrySchema>;

/** A plan at its beginning; the criteria come from the task's `success_criteria`. */
export function emptyPlan({
  nowMs,
  goal = '',
  criteria = [],
}: {
  nowMs: number;
  goal?: string;
  criteria?: readonly string[];
}): Plan {
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
