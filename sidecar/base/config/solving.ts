/** Schema of the settings `solving.*`, which override the model's profile. */
import * as z from 'zod';
import { describeRare } from './rare.ts';

const BY_PROFILE = "default: the model's profile";
const optionalCount = (max: number, description: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(max)
    .optional()
    .meta(describeRare(`${description}; ${BY_PROFILE}`));

export const solvingShape = {
  strategy: z
    .enum(['auto', 'loop', 'drafts'])
    .optional()
    .meta(
      describeRare(
        `How agentic tasks are solved: drafts and then the loop (auto), or one of them alone; ${BY_PROFILE}`,
      ),
    ),
  drafts: optionalCount(32, 'Maximum number of drafts before the loop'),
  repairs: optionalCount(4, 'How often a failing draft is requested again with its failure'),
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
