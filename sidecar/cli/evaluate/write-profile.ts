/**
 * Writes the best measured settings of a model to the user's `models.json`: those of the evaluation that solved most, and
 * among equal ones the fastest. Everything else in the file stays.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ModelCatalog, readUserCatalog } from '../../model/catalog.ts';
import type { CatalogFileInput } from '../../model/catalog-schema.ts';
import type { EvaluationSettings, ModelSummary } from './summary.ts';
import { splitVariant, setKeys } from './variant.ts';

export interface ProfileCandidate {
  settings: EvaluationSettings;
  summary: ModelSummary;
}

export interface WrittenProfile {
  model: string;
  /** Keys of the entry with their new values; empty if the defaults were best. */
  keys: Record<string, string>;
  solved: number;
  candidates: number;
}

/** Returns the settings of an evaluation that a profile can have. */
function keysOf({ strategy, set }: EvaluationSettings): Record<string, string> {
  const { configuration, entry } = splitVariant(set);
  const toolMode = configuration.find((text) => text.startsWith('model.toolMode='))?.split('=')[1];
  return {
    ...(strategy !== undefined && { 'solving.strategy': strategy }),
    ...(toolMode !== undefined && { toolMode }),
    ...entry,
  };
}

/** Writes the file and returns what was written for each model. Rejects with `CatalogError`, or if the disk fails. */
export async function writeProfiles(
  candidates: readonly ProfileCandidate[],
  userFile: string,
): Promise<WrittenProfile[]> {
  const user = await readUserCatalog(userFile);
  const models: NonNullable<CatalogFileInput['models']> = { ...user.models };
  const written = [...new Set(candidates.map(({ summary }) => summary.model))].map(
    (model): WrittenProfile => {
      const own = candidates.filter(({ summary }) => summary.model === model);
      const best = own.toSorted(compareBySolved)[0];
      const keys = best ? keysOf(best.settings) : {};
      if (Object.keys(keys).length > 0) models[model] = setKeys(models[model], keys);
      return { model, keys, solved: best?.summary.solved.mean ?? 0, candidates: own.length };
    },
  );
  if (written.every(({ keys }) => Object.keys(keys).length === 0)) return written;
  const content = { ...user, models };
  // Rejects a catalog with which a worker could not start.
  void new ModelCatalog(content, userFile);
  await mkdir(dirname(userFile), { recursive: true });
  const temporary = `${userFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(content, undefined, 2)}\n`);
  await rename(temporary, userFile);
  return written;
}

const compareBySolved = (a: ProfileCandidate, b: ProfileCandidate): number =>
  b.summary.solved.mean - a.summary.solved.mean || a.summary.seconds.mean - b.summary.seconds.mean;
