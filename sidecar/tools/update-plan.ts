/**
 * The tool `update_plan`: changes the task's plan document through the `PlanSink` of the context. If the task has no plan, the tool returns
 * a plain answer instead of an error, so that the model continues.
 */
import * as z from 'zod';
import { buildRefusal, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

/** Returns the schema of a decision, for which a title alone suffices. */
const createDecisionSchema = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? { title: value } : value),
    z.object({ title: z.string(), rationale: z.string().optional(), ...shape }),
  );
/** Schema of a criterion; models also refer to criteria by number. */
const criterionSchema = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string(),
);

const schema = z.object({
  goal: z.string().optional(),
  status: z.enum(['planning', 'in_progress', 'blocked', 'completed', 'failed']).optional(),
  acceptance_criteria: z.array(z.string()).optional(),
  criteria_completed: z.array(criterionSchema).optional(),
  decisions_made: z.array(createDecisionSchema({ alternatives: z.array(z.string()).optional() })).optional(),
  decisions_rejected: z.array(createDecisionSchema({})).optional(),
});

export async function updatePlan(args: z.output<typeof schema>, { plan }: ToolContext): Promise<ToolOutput> {
  if (Object.values(args).every((value) => value === undefined))
    return buildRefusal(`Nothing to update. Give one of: ${Object.keys(schema.shape).join(', ')}`);
  if (!plan) return 'This task has no plan document; nothing was recorded. Continue the task.';
  return plan.update(args);
}

export const updatePlanTool: RegisteredTool<typeof schema> = {
  name: 'update_plan',
  aliases: 'plan plan_update set_plan edit_plan'.split(' '),
  description: 'Change the plan: criteria done, decisions.',
  argumentAliases: {
    acceptance_criteria: ['criteria'],
    criteria_completed: ['completed_criteria', 'completed'],
    decisions_made: ['decisions'],
  },
  schema,
  readOnly: false,
  changes: 'plan',
  execute: updatePlan,
};
