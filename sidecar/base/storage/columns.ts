/**
 * Declares the columns of tables: their SQL on SQLite and PostgreSQL, and the types of their values. Times
 * are milliseconds since the epoch, booleans are 0 and 1, objects are JSON text.
 */
import type { Generated } from 'kysely';

export type DatabaseKind = 'sqlite' | 'postgresql';

export interface Column<Value> {
  /** SQL of the column on SQLite. */
  readonly sql: string;
  /** Never set. The property only carries the type of the values. */
  readonly value?: Value;
}

const createColumn = <Value>(sql: string): Column<Value> => ({ sql });

export const integer = createColumn<number>('INTEGER NOT NULL');
export const integerOrNull = createColumn<number | null>('INTEGER');
/** Integer column with the default 0. */
export const counter = createColumn<Generated<number>>('INTEGER NOT NULL DEFAULT 0');
/** Primary key that the database assigns in ascending order. */
export const rowNumber = createColumn<Generated<number>>('INTEGER PRIMARY KEY');
/** Like `rowNumber`, but values of deleted rows are never reused. */
export const serial = createColumn<Generated<number>>('INTEGER PRIMARY KEY AUTOINCREMENT');
export const real = createColumn<number>('REAL NOT NULL');
export const realOrNull = createColumn<number | null>('REAL');
export const text = createColumn<string>('TEXT NOT NULL');
export const textOrNull = createColumn<string | null>('TEXT');
export const textKey = createColumn<string>('TEXT PRIMARY KEY');

/** Declares a text column whose values are limited to the type `Value`. */
export const enumOf = <Value extends string>(): Column<Value> => createColumn<Value>('TEXT NOT NULL');

/** Adds a constraint to a column. */
export const addConstraint = <Value>({ sql }: Column<Value>, constraint: string): Column<Value> =>
  createColumn<Value>(`${sql} ${constraint}`);

type Columns = Readonly<Record<string, Column<unknown>>>;
export type DeclaredTables = Readonly<Record<string, Columns>>;

/** Row types of declared tables, for Kysely. */
export type TablesOf<Declared extends DeclaredTables> = {
  [Table in keyof Declared]: {
    -readonly [Name in keyof Declared[Table]]: Declared[Table][Name] extends Column<infer Value>
      ? Value
      : never;
  };
};

/**
 * Returns the statements that create missing tables. `constraints`: constraints of whole tables. `strict`:
 * SQLite checks the types of all values.
 */
export function buildCreateStatements(
  tables: DeclaredTables,
  options: { kind: DatabaseKind; constraints?: Readonly<Record<string, string>>; strict?: boolean },
): string[] {
  const { kind, constraints = {}, strict = false } = options;
  return Object.entries(tables).map(([table, columns]) => {
    const parts = Object.entries(columns).map(([name, { sql }]) => `${name} ${translateSql(kind, sql)}`);
    const constraint = constraints[table];
    if (constraint !== undefined) parts.push(constraint);
    return `CREATE TABLE IF NOT EXISTS ${table} (${parts.join(', ')})${strict ? ' STRICT' : ''}`;
  });
}

/**
 * Returns the statements that add columns to existing tables. Each column must be nullable or have a default.
 */
export const buildAddColumnStatements = (tables: DeclaredTables, kind: DatabaseKind): string[] =>
  Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(
      ([name, { sql }]) => `ALTER TABLE ${table} ADD COLUMN ${name} ${translateSql(kind, sql)}`,
    ),
  );

function translateSql(kind: DatabaseKind, sqlite: string): string {
  if (kind === 'sqlite') return sqlite;
  return sqlite
    .replace('INTEGER PRIMARY KEY AUTOINCREMENT', 'BIGSERIAL PRIMARY KEY')
    .replace('INTEGER', 'BIGINT')
    .replace('REAL', 'DOUBLE PRECISION');
}
