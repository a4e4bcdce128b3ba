/** Counts the rows of a table by the range of its primary key. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const numbers = { tasks: 'seq', events: 'id' } as const;

interface NumberRange {
  first: number;
  last: number;
}

/** Returns the first and last key; an empty range for an empty table. SQLite would scan for `MIN` and `MAX` in one query. */
export async function numberRange(db: Kysely<Tables>, table: keyof typeof numbers): Promise<NumberRange> {
  const [number, from] = [sql.ref(numbers[table]), sql.table(table)];
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT (SELECT MIN(${number}) FROM ${from}) AS first, (SELECT MAX(${number}) FROM ${from}) AS last`.execute(
    db,
  );
  return { first: rows[0]?.first ?? 0, last: rows[0]?.last ?? -1 };
}

/**
 * Returns how many rows a table has above `maxCount`. Rows are counted only if the range of keys, never smaller than
 * their number, exceeds it.
 */
export async function surplusRows(
  db: Kysely<Tables>,
  table: keyof typeof numbers,
  maxCount: number,
): Promise<number> {
  const { first, last } = await numberRange(db, table);
  if (last - first < maxCount) return 0;
  const { rows } = await sql<{ total: number }>`SELECT COUNT(*) AS total FROM ${sql.table(table)}`.execute(
    db,
  );
  return (rows[0]?.total ?? 0) - maxCount;
}
