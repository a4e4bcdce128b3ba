/**
 * Conditions that the partial indexes of schema.ts are made for. They are literal text: SQLite uses a
 * partial index only where the query itself proves its condition, and it cannot with a bound parameter.
 */
import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { ShownStatus } from './tables.ts';

export const isQueued = sql<SqlBool>`tasks.status = 'queued'`;
/** Assigned to a worker or running. */
export const isInFlight = sql<SqlBool>`tasks.status IN ('assigned', 'running')`;
/** Running, and waiting for the answer of a user. */
export const isAsking = sql<SqlBool>`tasks.asks IS NOT NULL`;
/** A request that has no answer yet. */
export const isPending = sql<SqlBool>`approvals.status = 'pending'`;
/** Some worker is, or was, preferred for it. */
export const hasFirstGo = sql<SqlBool>`tasks.preferred_until > 0`;
/** An event of a task's state or of what people said: all but what its worker did. */
export const isOfState = sql<SqlBool>`events.kind <> 'execution'`;

/** Matches tasks that readers see in one of these states. */
export function isShownAs(statuses: readonly ShownStatus[]): RawBuilder<SqlBool> {
  const isStored = sql<SqlBool>`tasks.status IN (${sql.join(statuses)})`;
  if (statuses.includes('asks')) return sql<SqlBool>`(${isAsking} OR ${isStored})`;
  return statuses.includes('running') ? sql<SqlBool>`(tasks.asks IS NULL AND ${isStored})` : isStored;
}
