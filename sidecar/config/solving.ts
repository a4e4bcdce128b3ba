/** `solving.*` of the configuration: how tasks are solved, where it is to differ from what the model's profile says. */
import * as z from 'zod';

const BY_PROFILE = "default: the model's profile";
const upTo = (max: number, what: string) =>
  z.number().int().min(0).max(max).optional().describe(`${what}; ${BY_PROFILE}`);

/** The keys of the section. */
export const solving = {
  strategy: z
    .enum(['auto', 'loop', 'drafts'])
    .optional()
    .describe(
      `How agentic tasks are solved: drafts and then the loop (auto), or one of them alone; ${BY_PROFILE}`,
    ),
  drafts: upTo(32, 'Answers that are drawn at most before the loop'),
  repairs: upTo(4, 'How often a failing draft is shown its failure and asked for again'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe(
      'How often a task is tried that does not end verified; default: 1, or once for each model of model.ladder',
    ),
};
