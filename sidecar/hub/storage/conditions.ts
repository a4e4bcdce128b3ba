/**
 * Conditions of the partial indexes in migrations.ts. They are literal text: SQLite uses a partial index only if the query
 * itself contains its condition, not with a bound parameter.
 */
import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { ShownStatus } from './tables.ts';

export const isQueued = sql<SqlBool>`tasks.status = 'queued'`;
/** Matches tasks that are assigned to a worker or running. */
export const isInFlight = sql<SqlBool>`tasks.status IN ('assigned', 'running')`;
/** Matches running tasks that wait for a user's answer. */
export const isAsking = sql<SqlBool>`tasks.asks IS NOT NULL`;
/** Matches approval requests without an answer. */
export const isPending = sql<SqlBool>`approvals.status = 'pending'`;
/** Matches tasks with a preferred worker, even if the preference has expired. */
export const hasPreferredWorker = sql<SqlBool>`tasks.preferred_until > 0`;
/** Matches events of state changes and user messages: all except execution events. */
export const isStateEvent = sql<SqlBool>`events.kind <> 'execution'`;

/** Matches tasks whose shown state is one of the given states. */
export function isShownAs(statuses: readonly ShownStatus[]): RawBuilder<SqlBool> {
  const isStored = sql<SqlBool>`tasks.status IN (${sql.join(statuses)})`;
  if (statuses.includes('asks')) return sql<SqlBool>`(${isAsking} OR ${isStored})`;
  return statuses.includes('running') ? sql<SqlBool>`(tasks.asks IS NULL AND ${isStored})` : isStored;
}
