/** Detects databases that lack migrations, and rejects databases of later versions. */
import { createSchemaError } from './storage-error.ts';

export interface DatabaseSchema {
  /**
   * Statements of each version, by names in ascending order. Statements of a released version never change.
   * The names identify the databases of this program.
   */
  migrations: Readonly<Record<string, readonly string[]>>;
  /** Schema version of a database that has the tables of the first migration but no record of migrations. */
  legacyVersion: number;
}

/** State of an open database that matters for migrations. */
export interface SchemaState {
  /** Names of the recorded migrations. */
  applied: readonly string[];
  isEmpty: boolean;
  /** Schema version of a database without recorded migrations. */
  version?: number | undefined;
}

/** Table that Kysely's migrator records migrations in. */
export const MIGRATION_TABLE = 'kysely_migration';

/**
 * Returns whether a database lacks migrations. Throws `StorageError` `storage_other_schema` for a database of
 * a later version or of another program.
 */
export function lacksMigrations(
  { migrations, legacyVersion }: DatabaseSchema,
  state: SchemaState,
  path: string,
): boolean {
  const { applied, isEmpty, version } = state;
  const unknownName = applied.find((name) => !Object.hasOwn(migrations, name));
  if (unknownName !== undefined) throw createSchemaError(path, 'newer', unknownName);
  if (applied.length === 0 && !isEmpty && version !== legacyVersion)
    throw createSchemaError(path, 'foreign', String(version ?? 'unknown'));
  return applied.length < Object.keys(migrations).length;
}
