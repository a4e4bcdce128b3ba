/** Detects databases that lack migrations, and refuses those of later versions. */
import { otherSchema } from './storage-error.ts';

export interface Schema {
  /**
   * The statements of each version, by names in ascending order; those of a released version never change. The names
   * tell the databases of this program apart.
   */
  migrations: Readonly<Record<string, readonly string[]>>;
  /** The number of a database with the tables of the first migration that has no record of migrations. */
  unrecorded: number;
}

/** The content of an open database, as far as migrations are concerned. */
export interface SchemaState {
  /** Names of the recorded migrations. */
  applied: readonly string[];
  isEmpty: boolean;
  /** The number of a database without recorded migrations. */
  number?: number | undefined;
}

/** The table in which Kysely's migrator records migrations. */
export const MIGRATION_TABLE = 'kysely_migration';

/**
 * Checks whether a database lacks migrations. Throws `StorageError` `storage_other_schema` for a database of a later
 * version or of another program.
 */
export function lacksMigrations(
  { migrations, unrecorded }: Schema,
  state: SchemaState,
  path: string,
): boolean {
  const { applied, isEmpty, number } = state;
  const unknown = applied.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined) throw otherSchema(path, 'newer', unknown);
  if (applied.length === 0 && !isEmpty && number !== unrecorded)
    throw otherSchema(path, 'foreign', String(number ?? 'unknown'));
  return applied.length < Object.keys(migrations).length;
}
