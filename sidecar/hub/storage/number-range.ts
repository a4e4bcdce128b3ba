/** How many rows a table has, from the first and last number of its primary key. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const numbers = { tasks: 'seq', events: 'id' } as const;

interface NumberRange {
  first: number;
  last: number;
}

/** Without a number in it for an empty table. Two subqueries, since SQLite reads the whole table for `MIN` and `MAX` in one. */
export async function numberRange(db: Kysely<Tables>, table: keyof typeof numbers): Promise<NumberRange> {
  const [number, from] = [sql.ref(numbers[table]), sql.table(table)];
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT (SELECT MIN(${number}) FROM ${from}) AS first, (SELECT MAX(${number}) FROM ${from}) AS last`.execute(
    db,
  );
  return { first: rows[0]?.first ?? 0, last: rows[0]?.last ?? -1 };
}

/**
 * How many rows a table has above `maxCount`. The range of numbers is never smaller than the count, so
 * rows are counted only where there may be too many.
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
