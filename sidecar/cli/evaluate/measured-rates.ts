/** Reads from the evaluations on this machine how many tasks each model solved. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findEvaluationsFolder, readEvaluation, RESULT_FILE } from './evaluation-folder.ts';
import { summarise } from './summary.ts';

const MAX_EVALUATIONS = 50;
/** Larger files are skipped, because they would delay the list of models. */
const MAX_RESULT_BYTES = 64 * 1024 ** 2;

export interface MeasuredRate {
  /** Share of solved runs, 0 to 1. */
  solved: number;
  runs: number;
  /** Start of the evaluation, as an ISO date and time. */
  at: string;
}

/** Returns the newest rate of each model. Skips unreadable evaluations. Never rejects. */
export async function readMeasuredRates(
  folder = findEvaluationsFolder(),
): Promise<Map<string, MeasuredRate>> {
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? 1 : -1));
  const rates = new Map<string, MeasuredRate>();
  for (const name of names.slice(0, MAX_EVALUATIONS)) {
    for (const [model, rate] of await readRates(join(folder, name))) {
      if (!rates.has(model)) rates.set(model, rate);
    }
  }
  return rates;
}

async function readRates(folder: string): Promise<[string, MeasuredRate][]> {
  const size = await stat(join(folder, RESULT_FILE)).then(
    (stats) => stats.size,
    () => Infinity,
  );
  if (size > MAX_RESULT_BYTES) return [];
  const evaluation = await readEvaluation(folder).catch(() => undefined);
  if (!evaluation) return [];
  const { startedAt: at } = evaluation.settings;
  return summarise(evaluation.records).map(({ model, solved, records }) => [
    model,
    { solved: solved.mean, runs: records, at },
  ]);
}
