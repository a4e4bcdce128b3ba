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
  diffsBetween: upTo(
    8,
    'How many of the answers are asked for as a short diff, between two that give whole definitions',
  ),
  rewrites: upTo(16, 'Answers for each of the three likeliest functions that write it anew'),
  lines: upTo(200, 'Lines of code that the model is asked about one by one'),
  smallChanges: upTo(
    200,
    'Small changes (of a sign, of the order of two lines, of what is often forgotten) that are tried without the model while it writes',
  ),
  missingLines: upTo(200, 'Places in the code where the model is asked one by one for a missing line'),
  repairs: upTo(4, 'How often a failing draft is shown its failure and asked for again'),
  directAnswers: z
    .boolean()
    .optional()
    .describe(`Whether a question that changes nothing is first put without tools; ${BY_PROFILE}`),
  tools: z
    .enum(['all', 'few'])
    .optional()
    .describe(
      `Tools of the loop: all, or two for small models (to read a file and to run a command), which change files by answers in code; ${BY_PROFILE}`,
    ),
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
