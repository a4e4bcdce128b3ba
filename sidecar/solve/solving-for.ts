/** How a task is to be solved: what the task says, then the configuration, then the model's profile. Pure. */
import { z } from 'zod';
import { strategies, type SolvingProfile } from '../model/catalog-schema.ts';
import type { CatalogEntry } from '../model/catalog.ts';
import type { TaskRun } from '../task/task-run.ts';

const wishesSchema = z.object({
  strategy: z.enum(strategies).optional().catch(undefined),
  drafts: z.number().int().min(0).max(32).optional().catch(undefined),
});

export function solvingFor(
  { task, config }: Pick<TaskRun, 'task' | 'config'>,
  { solving }: Pick<CatalogEntry, 'solving'>,
): SolvingProfile {
  const wishes = wishesSchema.parse(task.metadata);
  return { ...solving, ...given(config.solving), ...given(wishes) };
}

/** The settings that have a value; one that is undefined decides nothing. */
const given = (settings: Partial<SolvingProfile>): Partial<SolvingProfile> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
