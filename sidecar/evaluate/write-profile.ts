/**
 * Puts the settings that measured best for a model into the user's `models.json`: of the evaluations given, the one that
 * solved most, and among equals the faster one. All else that the file holds stays.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ModelCatalog, readUserCatalog } from '../model/catalog.ts';
import type { CatalogFileInput } from '../model/catalog-schema.ts';
import type { EvaluationSettings, ModelSummary } from './summary.ts';
import { splitVariant, withKeys } from './variant.ts';

export interface Candidate {
  settings: EvaluationSettings;
  summary: ModelSummary;
}

export interface WrittenProfile {
  model: string;
  /** Keys of its entry with their new values; empty when the best were the defaults. */
  keys: Record<string, string>;
  solved: number;
  candidates: number;
}

/** Settings that a profile can hold, of one evaluation. */
function keysOf({ strategy, set }: EvaluationSettings): Record<string, string> {
  const { configuration, entry } = splitVariant(set);
  const toolMode = configuration.find((text) => text.startsWith('model.toolMode='))?.split('=')[1];
  return {
    ...(strategy !== undefined && { 'solving.strategy': strategy }),
    ...(toolMode !== undefined && { toolMode }),
    ...entry,
  };
}

/** Writes the file and says what was written for each model. Rejects with `CatalogError`, or when the disk does. */
export async function writeProfiles(
  candidates: readonly Candidate[],
  userFile: string,
): Promise<WrittenProfile[]> {
  const user = await readUserCatalog(userFile);
  const models: NonNullable<CatalogFileInput['models']> = { ...user.models };
  const written = [...new Set(candidates.map(({ summary }) => summary.model))].map(
    (model): WrittenProfile => {
      const own = candidates.filter(({ summary }) => summary.model === model);
      const best = own.toSorted(byWhatItSolved)[0];
      const keys = best ? keysOf(best.settings) : {};
      if (Object.keys(keys).length > 0) models[model] = withKeys(models[model], keys);
      return { model, keys, solved: best?.summary.solved.mean ?? 0, candidates: own.length };
    },
  );
  if (written.every(({ keys }) => Object.keys(keys).length === 0)) return written;
  const content = { ...user, models };
  // Refuses what a worker could not start with.
  void new ModelCatalog(content, userFile);
  await mkdir(dirname(userFile), { recursive: true });
  const temporary = `${userFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(content, undefined, 2)}\n`);
  await rename(temporary, userFile);
  return written;
}

const byWhatItSolved = (a: Candidate, b: Candidate): number =>
  b.summary.solved.mean - a.summary.solved.mean || a.summary.seconds.mean - b.summary.seconds.mean;
