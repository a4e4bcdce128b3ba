/**
 * Writes the best measured settings of a model to the user's `models.json`: those of the evaluation with the
 * most solved tasks and, if several are equal, of the fastest one. The rest of the file is unchanged.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ModelCatalog, readUserCatalog } from '../../model/catalog.ts';
import type { CatalogFileInput } from '../../model/catalog-schema.ts';
import type { EvaluationSettings, ModelSummary } from './summary.ts';
import { splitVariant, setEntryKeys } from './variant.ts';

export interface ProfileCandidate {
  settings: EvaluationSettings;
  summary: ModelSummary;
}

export interface WrittenProfile {
  model: string;
  /** New values of the catalog entry, by key. Empty if the default settings were best. */
  keys: Record<string, string>;
  solved: number;
  candidates: number;
}

/** Returns the settings of an evaluation that can be part of a profile. */
function profileKeysOf({ strategy, set }: EvaluationSettings): Record<string, string> {
  const { configuration, entry } = splitVariant(set);
  const toolMode = configuration.find((text) => text.startsWith('model.toolMode='))?.split('=')[1];
  return {
    ...(strategy !== undefined && { 'solving.strategy': strategy }),
    ...(toolMode !== undefined && { toolMode }),
    ...entry,
  };
}

/**
 * Writes the file and returns the new settings of each model. Rejects with `CatalogError`, or on a disk
 * error.
 */
export async function writeProfiles(
  candidates: readonly ProfileCandidate[],
  userFile: string,
): Promise<WrittenProfile[]> {
  const user = await readUserCatalog(userFile);
  const models: NonNullable<CatalogFileInput['models']> = { ...user.models };
  const writtenProfiles = [...new Set(candidates.map(({ summary }) => summary.model))].map(
    (model): WrittenProfile => {
      const modelCandidates = candidates.filter(({ summary }) => summary.model === model);
      const best = modelCandidates.toSorted(compareBySolved)[0];
      const keys = best ? profileKeysOf(best.settings) : {};
      if (Object.keys(keys).length > 0) models[model] = setEntryKeys(models[model], keys);
      return { model, keys, solved: best?.summary.solved.mean ?? 0, candidates: modelCandidates.length };
    },
  );
  if (writtenProfiles.every(({ keys }) => Object.keys(keys).length === 0)) return writtenProfiles;
  const content = { ...user, models };
  // The constructor throws for a catalog with which no worker would start.
  void new ModelCatalog(content, userFile);
  await mkdir(dirname(userFile), { recursive: true });
  const temporaryFile = `${userFile}.${process.pid}.tmp`;
  await writeFile(temporaryFile, `${JSON.stringify(content, undefined, 2)}\n`);
  await rename(temporaryFile, userFile);
  return writtenProfiles;
}

const compareBySolved = (a: ProfileCandidate, b: ProfileCandidate): number =>
  b.summary.solved.mean - a.summary.solved.mean || a.summary.seconds.mean - b.summary.seconds.mean;
