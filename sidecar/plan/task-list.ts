/**
 * The answer of the planning stage: the steps of a task, as the server's grammar wants
 * them and as a model writes them. Reading is lenient about how, strict about how many.
 */
import * as z from 'zod';

/** The agent has no turns for more steps. */
export const MAX_STEPS = 20;
const MAX_DESCRIPTION_CHARS = 2_000;

export interface PlanStep {
  description: string;
  /** A hint: a tool, or a kind of work. */
  tool?: string;
  params?: Record<string, unknown>;
  /** The stage ends where such a step fails. */
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

const description = z
  .string()
  .transform((text) => text.trim().slice(0, MAX_DESCRIPTION_CHARS))
  .refine((text) => text !== '', 'is empty');
const stepSchema = z.union([
  description.transform((text): PlanStep => ({ description: text, critical: true })),
  z
    .object({
      description,
      tool: z.string().nullish().catch(undefined),
      params: z.record(z.string(), z.unknown()).nullish().catch(undefined),
      critical: z.union([z.boolean(), z.stringbool()]).nullish().catch(undefined),
    })
    .transform(({ description: text, tool, params, critical }): PlanStep => ({
      description: text,
      ...(tool?.trim() ? { tool: tool.trim() } : {}),
      ...(params ? { params } : {}),
      critical: critical ?? true,
    })),
]);

/** Also a bare list of steps, and steps that are only texts. */
export const taskListSchema = z.preprocess(
  (value) => (Array.isArray(value) ? { task_list: value } : value),
  z
    .object({ task_list: z.array(stepSchema).min(1).max(MAX_STEPS) })
    .transform(({ task_list: steps }) => steps),
);
