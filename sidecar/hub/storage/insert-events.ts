/**
 * Stores the events of a commit with fixed statements: a query builder would create hundreds of objects per commit, and
 * a statement stays prepared only while its text is unchanged.
 */
import { CompiledQuery } from 'kysely';
import { lockEventOrder } from './open.ts';
import type { DatabaseKind, HubTransaction } from './hub-database.ts';
import type { EventRow, NewEventRow } from './tables.ts';

export type NewEvent = Omit<NewEventRow, 'id'>;

const columns = ['task_id', 'at', 'generation', 'kind', 'body'] as const satisfies (keyof NewEvent)[];
/** Maximum rows per statement: both databases limit the number of parameters. */
const MAX_ROWS = 512;
const statements = new Map<string, string>();

/** Inserts events and returns them with their sequence numbers, in order. Takes the last lock of the transaction. */
export async function insertEvents(
  kind: DatabaseKind,
  trx: HubTransaction,
  events: readonly NewEvent[],
): Promise<EventRow[]> {
  if (events.length === 0) return [];
  await lockEventOrder(kind, trx);
  const stored: EventRow[] = [];
  while (stored.length < events.length) {
    const rows = events.slice(stored.length, stored.length + rowsOf(kind, events.length - stored.length));
    const values = rows.flatMap((row) => columns.map((column) => row[column]));
    const inserted = await trx.executeQuery<{ id: number }>(
      CompiledQuery.raw(statement(kind, rows.length), values),
    );
    const ids = inserted.rows.map(({ id }) => id).sort((a, b) => a - b);
    rows.forEach((row, index) => stored.push({ ...row, id: ids[index] ?? 0 }));
  }
  return stored;
}

/** Returns the rows of the next statement: powers of two on SQLite, for few statements; one round trip on PostgreSQL. */
function rowsOf(kind: DatabaseKind, left: number): number {
  const max = Math.min(left, MAX_ROWS);
  return kind === 'sqlite' ? 2 ** Math.floor(Math.log2(max)) : max;
}

function statement(kind: DatabaseKind, rows: number): string {
  const key = `${kind} ${rows}`;
  const known = statements.get(key);
  if (known !== undefined) return known;
  const place = (index: number) => (kind === 'sqlite' ? '?' : `$${index + 1}`);
  const row = (first: number) => `(${columns.map((_column, index) => place(first + index)).join(', ')})`;
  const values = Array.from({ length: rows }, (_row, index) => row(index * columns.length)).join(', ');
  const text = `INSERT INTO events (${columns.join(', ')}) VALUES ${values} RETURNING id`;
  statements.set(key, text);
  return text;
}
