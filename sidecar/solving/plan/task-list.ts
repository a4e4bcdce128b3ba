/** Parses the answer of the planning stage: the steps of a task. */
import * as z from 'zod';

/** Maximum number of steps. The limit of iterations does not allow more. */
export const MAX_STEPS = 20;
const MAX_DESCRIPTION_CHARS = 2_000;

export interface PlanStep {
  description: string;
  /** Optional hint of the model: a tool, or a kind of work. */
  tool?: string;
  params?: Record<string, unknown>;
  /** Whether the stage ends if this step fails. */
  critical: boolean;
}

export const TASK_LIST_FORM =
  '{"task_list":[{"step":1,"description":"<what to do>","tool":"<hint>","critical":true}]}';

/** The `format` of the planning request. */
export const taskListFormat = {
  type: 'object',
  properties: {
    task_list: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          step: { type: 'integer' },
          description: { type: 'string' },
          tool: { type: 'string' },
          params: { type: 'object' },
          critical: { type: 'boolean' },
        },
        required: ['step', 'description'],
      },
    },
  },
  required: ['task_list'],
} as const;

const stepSchema = z
  .object({
    description: z
      .string()
      .transform((text) => text.trim().slice(0, MAX_DESCRIPTION_CHARS))
      .refine((text) => text !== '', 'is empty'),
    tool: z.string().trim().optional(),
    params: z.record(z.string(), z.unknown()).optional(),
    critical: z.boolean().default(true),
  })
  .transform(({ description, tool, params, critical }): PlanStep => ({
    description,
    ...(tool && { tool }),
    ...(params && { params }),
    critical,
  }));

export const taskListSchema = z
  .object({ task_list: z.array(stepSchema).min(1).max(MAX_STEPS) })
  .transform(({ task_list: steps }) => steps);
