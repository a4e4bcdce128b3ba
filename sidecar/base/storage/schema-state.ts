/** Detects databases that lack migrations, and rejects databases of later versions. */
import { createSchemaError } from './storage-error.ts';

export interface DatabaseSchema {
  /**
   * SQL statements of each version, by name of the version in ascending order. Statements of a released version never change. The names
   * identify databases of this program.
   */
  migrations: Readonly<Record<string, readonly string[]>>;
  /** Schema version of a database that has the tables of the first migration but no table of migrations. */
  legacyVersion: number;
}

/** Facts about an open database from which missing migrations are detected. */
export interface SchemaState {
  /** Names of the migrations that the database has recorded. */
  appliedMigrations: readonly string[];
  isEmpty: boolean;
  /** Schema version of a database without recorded migrations. */
  version?: number | undefined;
}

/** Table in which Kysely's migrator records migrations. */
export const MIGRATION_TABLE = 'kysely_migration';

/**
 * Returns whether a database lacks migrations. Throws `StorageError` with the code `storage_other_schema` for a database of a later version
 * or of another program.
 */
export function lacksMigrations(
  { migrations, legacyVersion }: DatabaseSchema,
  state: SchemaState,
  path: string,
): boolean {
  const { appliedMigrations, isEmpty, version } = state;
  const unknownName = appliedMigrations.find((name) => !Object.hasOwn(migrations, name));
  if (unknownName !== undefined) throw createSchemaError(path, 'newer', unknownName);
  if (appliedMigrations.length === 0 && !isEmpty && version !== legacyVersion)
    throw createSchemaError(path, 'foreign', String(version ?? 'unknown'));
  return appliedMigrations.length < Object.keys(migrations).length;
}
