/**
 * Reads the solving options: the strategy, the number of attempts and the models. Options of the task take precedence over the
 * configuration, and the configuration over the model's profile. Pure.
 */
import * as z from 'zod';
import type { Config } from '../../base/config/schema.ts';
import { strategies, type SolvingProfile } from '../../model/catalog-schema.ts';
import type { CatalogEntry } from '../../model/catalog.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { TaskRun } from '../task/task-run.ts';

const MAX_ATTEMPTS = 16;
const MAX_MODELS = 16;

export interface AttemptPlan {
  /** Maximum number of attempts, from 1. */
  count: number;
  /** Models in the order of use, smallest first. If empty, every attempt uses the task's own model. */
  models: readonly string[];
}

export const ONE_ATTEMPT: AttemptPlan = { count: 1, models: [] };

/** Schema of the task's solving options. Invalid options count as absent. */
const optionsSchema = z.object({
  strategy: z.enum(strategies).optional().catch(undefined),
  drafts: z.number().int().min(0).max(32).optional().catch(undefined),
  attempts: z.number().int().min(1).max(MAX_ATTEMPTS).optional().catch(undefined),
  models: z.array(z.string().min(1)).max(MAX_MODELS).optional().catch(undefined),
});

/** Returns the attempts of a task. If a ladder is given without a number of attempts, each of its models gets one attempt. */
export function planAttempts(
  { metadata, routing_decision: routing }: Pick<Task, 'metadata' | 'routing_decision'>,
  { solving, model }: Pick<Config, 'solving' | 'model'>,
): AttemptPlan {
  const options = optionsSchema.parse(metadata);
  const models = options.models ?? listLadderFrom(routing?.selected_model, model.ladder);
  const oneEach = Math.max(1, Math.min(models.length, MAX_ATTEMPTS));
  return { count: options.attempts ?? (options.models ? oneEach : (solving.attempts ?? oneEach)), models };
}

/** Returns the operator's ladder from the named model on. A named model that is not on the ladder is placed before it. */
function listLadderFrom(named: string | undefined, ladder: readonly string[]): readonly string[] {
  if (!named || ladder.length === 0) return ladder;
  const at = ladder.indexOf(named);
  return at < 0 ? [named, ...ladder] : ladder.slice(at);
}

/**
 * Returns the models that may make an attempt, the preferred model first. The attempts are shared evenly among the models; if there are
 * fewer attempts than models, the first models are used.
 */
export function listAttemptModels({ count, models }: AttemptPlan, number: number): readonly string[] {
  const at = count <= models.length ? number - 1 : Math.floor(((number - 1) * models.length) / count);
  return models.slice(at);
}

/** Returns the solving profile of a task with a model. */
export function chooseSolvingProfile(
  { task, config }: Pick<TaskRun, 'task' | 'config'>,
  { solving }: Pick<CatalogEntry, 'solving'>,
): SolvingProfile {
  const { strategy, drafts } = optionsSchema.parse(task.metadata);
  return { ...solving, ...omitUndefined(config.solving), ...omitUndefined({ strategy, drafts }) };
}

/** Returns the settings that have a value, so that an undefined setting overrides nothing. */
const omitUndefined = (settings: Partial<SolvingProfile>): Partial<SolvingProfile> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
