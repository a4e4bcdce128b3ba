/** Defines the schema of the settings `solving.*`, which override the model's profile. */
import * as z from 'zod';
import { describeRareSetting } from './rare-setting.ts';

const PROFILE_DEFAULT = "default: the model's profile";
const createCountSchema = (max: number, description: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(max)
    .optional()
    .meta(describeRareSetting(`${description}; ${PROFILE_DEFAULT}`));

export const solvingShape = {
  strategy: z
    .enum(['auto', 'loop', 'drafts'])
    .optional()
    .meta(
      describeRareSetting(
        `How agentic tasks are solved: drafts and then the loop (auto), or one of them alone; ${PROFILE_DEFAULT}`,
      ),
    ),
  drafts: createCountSchema(32, 'Maximum number of drafts before the loop'),
  repairs: createCountSchema(4, 'Maximum number of repairs of a failing draft'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe(
      'Maximum number of attempts at a task until one is verified; default: 1, or one per model of model.ladder',
    ),
};
