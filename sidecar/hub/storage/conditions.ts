/**
 * Conditions that the partial indexes of migrations.ts are made for. They are literal text: SQLite uses a
 * partial index only where the query itself proves its condition, and a bound parameter proves nothing.
 */
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';

export const isQueued = sql<SqlBool>`tasks.status = 'queued'`;
/** Assigned or running: some worker has it. */
export const isInFlight = sql<SqlBool>`tasks.status IN ('assigned', 'running')`;
/** Somebody has, or had, first go at it. */
export const hasFirstGo = sql<SqlBool>`tasks.preferred_until > 0`;
