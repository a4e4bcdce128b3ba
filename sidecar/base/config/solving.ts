/** `solving.*` of the configuration: how tasks are solved, if it should differ from the model's profile. */
import * as z from 'zod';
import { rare } from './rare.ts';

const BY_PROFILE = "default: the model's profile";
const upTo = (max: number, what: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(max)
    .optional()
    .meta(rare(`${what}; ${BY_PROFILE}`));

export const solving = {
  strategy: z
    .enum(['auto', 'loop', 'drafts'])
    .optional()
    .meta(
      rare(
        `How agentic tasks are solved: drafts and then the loop (auto), or one of them alone; ${BY_PROFILE}`,
      ),
    ),
  drafts: upTo(32, 'Maximum number of drafts before the loop'),
  repairs: upTo(4, 'How often a failing draft is requested again with its failure'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe(
      'Maximum number of tries of a task that does not end verified; default: 1, or one per model of model.ladder',
    ),
};
