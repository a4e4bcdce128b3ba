/**
 * Conditions that the partial indexes of schema.ts are made for. They are literal text: SQLite uses a
 * partial index only where the query itself proves its condition, and it cannot with a bound parameter.
 */
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';

export const isQueued = sql<SqlBool>`tasks.status = 'queued'`;
/** Assigned to a worker or running. */
export const isInFlight = sql<SqlBool>`tasks.status IN ('assigned', 'running')`;
/** Some worker is, or was, preferred for it. */
export const hasFirstGo = sql<SqlBool>`tasks.preferred_until > 0`;
/** An event of a task's state or of what people said: all but what its worker did. */
export const isOfState = sql<SqlBool>`events.kind <> 'execution'`;
