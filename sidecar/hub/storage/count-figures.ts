/**
 * Sums by hour, model and kind: an overview of a million tasks reads a few hundred rows. The sums are updated in the
 * transaction of the change.
 */
import type { HubTransaction } from './hub-database.ts';
import type { FigureRow } from './tables.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Adds figures to the stored sums. Locks the rows in a fixed order, whatever the order of `figures`. */
export async function countFigures(trx: HubTransaction, figures: readonly FigureRow[]): Promise<void> {
  if (figures.length === 0) return;
  await trx
    .insertInto('figures')
    .values(mergeByKey(figures))
    .onConflict((conflict) =>
      conflict.columns(['hour', 'model', 'kind']).doUpdateSet((eb) => ({
        count: eb('figures.count', '+', eb.ref('excluded.count')),
        tokens_in: eb('figures.tokens_in', '+', eb.ref('excluded.tokens_in')),
        tokens_out: eb('figures.tokens_out', '+', eb.ref('excluded.tokens_out')),
        gpu_ms: eb('figures.gpu_ms', '+', eb.ref('excluded.gpu_ms')),
      })),
    )
    .execute();
}

/** Merges figures to one row per key, sorted by key. */
function mergeByKey(figures: readonly FigureRow[]): FigureRow[] {
  const sums = new Map<string, FigureRow>();
  for (const figure of figures) {
    const key = `${figure.hour} ${figure.kind} ${figure.model}`;
    const sum = sums.get(key);
    sums.set(key, sum ? addFigure(sum, figure) : figure);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const addFigure = (sum: FigureRow, more: FigureRow): FigureRow => ({
  ...sum,
  count: sum.count + more.count,
  tokens_in: sum.tokens_in + more.tokens_in,
  tokens_out: sum.tokens_out + more.tokens_out,
  gpu_ms: sum.gpu_ms + more.gpu_ms,
});
