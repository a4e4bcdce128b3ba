/** How much each model was measured to solve, from the evaluations that are kept on this machine. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluationsFolder, readEvaluation, RESULT_FILE } from './evaluation-folder.ts';
import { summarise } from './summary.ts';

const MAX_EVALUATIONS = 50;
/** A larger file is left out: nobody waits for a list of models while it is read. */
const MAX_RESULT_BYTES = 64 * 1024 ** 2;

export interface MeasuredRate {
  /** Share of the runs that was solved, 0 to 1. */
  solved: number;
  runs: number;
  /** When the evaluation began, as ISO date and time. */
  at: string;
}

/** The newest figure of each model. What cannot be read, and what another program did, is left out. Never rejects. */
export async function measuredRates(folder = evaluationsFolder()): Promise<Map<string, MeasuredRate>> {
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? 1 : -1));
  const rates = new Map<string, MeasuredRate>();
  for (const name of names.slice(0, MAX_EVALUATIONS)) {
    for (const [model, rate] of await ratesIn(join(folder, name))) {
      if (!rates.has(model)) rates.set(model, rate);
    }
  }
  return rates;
}

async function ratesIn(folder: string): Promise<[string, MeasuredRate][]> {
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
