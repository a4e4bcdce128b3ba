/** Migrates databases of earlier versions with Kysely's migrator. */
import { Migrator, sql, type Kysely } from 'kysely';
import type { DatabaseSchema } from './schema-state.ts';

/** Applies missing migrations in order. `schema`: PostgreSQL schema of the tables. */
export async function applyMigrations<Tables>(
  db: Kysely<Tables>,
  { migrations }: DatabaseSchema,
  schema?: string,
): Promise<void> {
  const migrationEntries = Object.entries(migrations).map(([name, statements]) => {
    const up = async (transaction: Kysely<unknown>): Promise<void> => {
      for (const statement of statements) await sql.raw(statement).execute(transaction);
    };
    return [name, { up }] as const;
  });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(migrationEntries)) },
    // The migrator orders recorded migrations by the system's clock, which may have been set back.
    allowUnorderedMigrations: true,
    ...(schema !== undefined && { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
