/** Counts the rows of a table by the range of its primary key. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const keyColumns = { tasks: 'seq', events: 'id' } as const;

interface KeyRange {
  first: number;
  last: number;
}

/**
 * Returns the range of a table's keys; an empty range for an empty table. SQLite would scan the whole table if one
 * query selected both `MIN` and `MAX`.
 */
export async function readKeyRange(db: Kysely<Tables>, table: keyof typeof keyColumns): Promise<KeyRange> {
  const [number, from] = [sql.ref(keyColumns[table]), sql.table(table)];
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT (SELECT MIN(${number}) FROM ${from}) AS first, (SELECT MAX(${number}) FROM ${from}) AS last`.execute(
    db,
  );
  return { first: rows[0]?.first ?? 0, last: rows[0]?.last ?? -1 };
}

/**
 * Returns by how many rows a table exceeds `maxCount`. Counts the rows only if the range of keys, which is never
 * smaller than their number, exceeds `maxCount`.
 */
export async function countSurplusRows(
  db: Kysely<Tables>,
  table: keyof typeof keyColumns,
  maxCount: number,
): Promise<number> {
  const { first, last } = await readKeyRange(db, table);
  if (last - first < maxCount) return 0;
  const { rows } = await sql<{ total: number }>`SELECT COUNT(*) AS total FROM ${sql.table(table)}`.execute(
    db,
  );
  return (rows[0]?.total ?? 0) - maxCount;
}
