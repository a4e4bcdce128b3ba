/** Detects databases that lack migrations, and rejects databases of later versions. */
import { createSchemaError } from './storage-error.ts';

export interface DatabaseSchema {
  /**
   * Statements of each version, by names in ascending order. Statements of a released version never change.
   * The names identify the databases of this program.
   */
  migrations: Readonly<Record<string, readonly string[]>>;
  /** Number of a database that has the tables of the first migration but no record of migrations. */
  unrecordedNumber: number;
}

/** State of an open database that matters for migrations. */
export interface SchemaState {
  /** Names of the recorded migrations. */
  applied: readonly string[];
  isEmpty: boolean;
  /** Number of a database without recorded migrations. */
  number?: number | undefined;
}

/** Table that Kysely's migrator records migrations in. */
export const MIGRATION_TABLE = 'kysely_migration';

/**
 * Returns whether a database lacks migrations. Throws `StorageError` `storage_other_schema` for a database of
 * a later version or of another program.
 */
export function lacksMigrations(
  { migrations, unrecordedNumber: unrecorded }: DatabaseSchema,
  state: SchemaState,
  path: string,
): boolean {
  const { applied, isEmpty, number } = state;
  const unknownName = applied.find((name) => !Object.hasOwn(migrations, name));
  if (unknownName !== undefined) throw createSchemaError(path, 'newer', unknownName);
  if (applied.length === 0 && !isEmpty && number !== unrecorded)
    throw createSchemaError(path, 'foreign', String(number ?? 'unknown'));
  return applied.length < Object.keys(migrations).length;
}
