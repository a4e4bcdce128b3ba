/**
 * Opens the hub's database: SQLite (a file or memory) by default, PostgreSQL for a `postgres://` address. All other
 * code uses Kysely, so that one set of stores and contract tests serves both.
 */
import { existsSync, realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import {
  type DatabaseIntrospector,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  PostgresDialect,
  type PrimitiveValueListNode,
  type RawBuilder,
  type SchemaMetadata,
  sql,
  type SqliteDatabase,
  SqliteDialect,
  type TableMetadata,
  type ValueNode,
} from 'kysely';
import type { Database } from 'better-sqlite3';
import type { PoolConfig } from 'pg';
import { isPostgresAddress } from '../../base/addresses/is-postgres-address.ts';
import type { Logger } from '../../base/ports.ts';
import { applyMigrations } from '../../base/storage/migrations.ts';
import { lacksMigrations, MIGRATION_TABLE } from '../../base/storage/schema-state.ts';
import { type OwnerLock, takeOwnerLock } from '../../base/system/owner-lock.ts';
import type { DatabaseKind, HubDatabase, HubTransaction } from './hub-database.ts';
import type { Tables } from './tables.ts';
import { createHubSchema, trigramIndex } from './migrations.ts';

/** An arbitrary key, unlikely to be used by other advisory locks in the same database. */
const EVENT_ORDER_LOCK = 0x6f6c6c61;

/**
 * Opens a database and applies missing migrations; `address` is a file, `:memory:` or a `postgres://` URL. Rejects with
 * a `StorageError` for a file that cannot be opened and for a database of a later version.
 */
export async function openHubDatabase(address: string, logger: Logger): Promise<HubDatabase> {
  return isPostgresAddress(address) ? openPostgres(address, logger) : openSqlite(address);
}

async function openSqlite(file: string): Promise<HubDatabase> {
  const lock = file === ':memory:' ? undefined : lockDatabase(file);
  try {
    const { openSqliteFile } = await import('../../base/storage/sqlite-file.ts');
    const schema = createHubSchema('sqlite');
    const sqlite = await openSqliteFile(file, { schema, synchronous: 'full', isUserNamed: true });
    // Replaces SQLite's own `lower`, which converts only ASCII letters.
    sqlite.function('lower', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
    const dialect = new SqliteDialect({ database: cacheStatements(sqlite) });
    return createDatabase('sqlite', new Kysely<Tables>({ dialect }), lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Maximum number of cached statements; the hub uses about a hundred. */
const MAX_STATEMENTS = 500;

/**
 * Caches prepared statements: preparing takes several times as long as most of them run. SQLite rolls back by itself if
 * the disk is full or fails; a rollback is then a no-op, so that its error does not hide the first one.
 */
function cacheStatements(sqlite: Database): SqliteDatabase {
  const noOpStatement = sqlite.prepare('SELECT 1') as ReturnType<SqliteDatabase['prepare']>;
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  return {
    close: () => {
      statements.clear();
      sqlite.close();
    },
    prepare: (text) => {
      if (text === 'rollback' && !sqlite.inTransaction) return noOpStatement;
      const cached = statements.get(text);
      if (cached) return cached;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const statement = sqlite.prepare(text) as ReturnType<SqliteDatabase['prepare']>;
      statements.set(text, statement);
      return statement;
    },
  };
}

async function openPostgres(url: string, logger: Logger): Promise<HubDatabase> {
  // A migration may take long, so its connection has no limits.
  const migrated = await connectPostgres({ connectionString: url }, logger);
  try {
    await migratePostgres(migrated);
    const index = await sql<{ is: boolean }>`SELECT to_regclass('tasks_text') IS NOT NULL AS is`.execute(
      migrated.db,
    );
    if (index.rows[0]?.is !== true)
      logger.warn(
        { cure: `run as an owner of the database: ${trigramIndex}` },
        'a search reads every task, since the extension pg_trgm could not be created',
      );
  } finally {
    await migrated.close();
  }
  return await connectPostgres({ connectionString: url, ...POSTGRES_LIMITS }, logger);
}

/** How long a query may send nothing before its connection counts as lost. */
const MAX_SILENCE_MS = 120_000;
/** How long a transaction may wait for a lock, and how long it may hold its locks without running a query. */
const MAX_LOCK_WAIT_MS = 30_000;
const POSTGRES_LIMITS: PoolConfig = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  lock_timeout: MAX_LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: MAX_LOCK_WAIT_MS,
  // A host that vanishes would otherwise leave its queries open for up to hours.
  stream: () => {
    const socket = new Socket();
    return socket.setTimeout(MAX_SILENCE_MS, () =>
      socket.destroy(new Error(`the database sent nothing for ${MAX_SILENCE_MS / 1000} s`)),
    );
  },
};

async function connectPostgres(config: PoolConfig, logger: Logger): Promise<HubDatabase> {
  const { default: pg } = await import('pg');
  const { INT8, NUMERIC } = pg.types.builtins;
  const pool = new pg.Pool({
    max: 10,
    ...config,
    // Times and counters are BIGINT, their sums NUMERIC; both fit a double exactly.
    types: {
      getTypeParser: (oid: typeof INT8, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // An error without a listener ends the process. The pool listens to idle connections only, and replaces lost ones.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error) => logger.warn({ err: error }, 'a database connection was lost')),
  );
  const dialect = new HubPostgresDialect({ pool });
  return createDatabase('postgresql', new Kysely<Tables>({ dialect, plugins: [new NulReplacer()] }));
}

/** Lists only the migrator's tables: Kysely would read every column of every schema in the database. */
class HubPostgresDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    const list = async <T>(query: RawBuilder<T>) => (await query.execute(db)).rows;
    const getSchemas = () => list(sql<SchemaMetadata>`SELECT nspname AS name FROM pg_namespace`);
    const getTables = () =>
      list(
        sql<TableMetadata>`SELECT tablename AS name, schemaname AS schema FROM pg_tables
          WHERE starts_with(tablename, ${MIGRATION_TABLE})`,
      );
    return { getSchemas, getTables, getMetadata: async () => ({ tables: await getTables() }) };
  }
}

/** Applies missing migrations; the migrator's lock orders hubs that start at once. */
async function migratePostgres({ db }: HubDatabase): Promise<void> {
  const schema = createHubSchema('postgresql');
  const { rows } = await sql<Record<'name' | 'tasks' | 'migrations' | 'comment', string | null>>`
    SELECT current_schema() AS name, to_regclass('tasks')::text AS tasks,
      to_regclass(${MIGRATION_TABLE})::text AS migrations,
      obj_description(to_regclass('tasks'), 'pg_class') AS comment`.execute(db);
  const { name, tasks, migrations, comment } = rows[0] ?? {};
  const applied =
    typeof migrations === 'string'
      ? (await sql<{ name: string }>`SELECT name FROM ${sql.table(MIGRATION_TABLE)}`.execute(db)).rows
      : [];
  const state = {
    appliedMigrations: applied.map((row) => row.name),
    isEmpty: tasks === null,
    // Before migrations existed, the version of the schema was recorded as a comment.
    version: comment?.startsWith('schema ') ? Number(comment.slice(7)) : undefined,
  };
  if (lacksMigrations(schema, state, "the hub's database"))
    await applyMigrations(db, schema, name ?? undefined);
}

function createDatabase(kind: DatabaseKind, db: Kysely<Tables>, lock?: OwnerLock): HubDatabase {
  return {
    kind,
    db,
    transaction: (work) => db.transaction().execute(work),
    close: async () => {
      await db.destroy();
      lock?.release();
    },
  };
}

/**
 * Locks the order of events. Must be the last lock of a transaction, right before it inserts events. Sequence numbers
 * then follow the order of commits, and a reader that resumes after a number never misses a lower one.
 */
export async function lockEventOrder(kind: DatabaseKind, trx: HubTransaction): Promise<void> {
  if (kind === 'postgresql') await sql`SELECT pg_advisory_xact_lock(${EVENT_ORDER_LOCK})`.execute(trx);
}

class NulReplacer implements KyselyPlugin {
  readonly #transformer = new NulTransformer();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): PluginTransformQueryArgs['node'] {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult: KyselyPlugin['transformResult'] = ({ result }) => Promise.resolve(result);
}

class NulTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: replaceNul(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(replaceNul) };
  }
}

const replaceNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;

/** Thrown if another hub uses the file; listed in docs/ERRORS.md. */
class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
  readonly code = 'hub_database_locked';

  constructor(file: string, heldBy: string) {
    super(
      `${file}: ${heldBy} runs a hub on this queue; stop it, or choose another file with --database (embeddedHub.database). ` +
        'Several hubs can share a queue on PostgreSQL',
    );
  }
}

/** Takes the lock file beside a database. Throws `DatabaseLockedError`, or the error of the file system. */
function lockDatabase(file: string): OwnerLock {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  const result = takeOwnerLock(`${path}.lock`);
  if (!result.ok) throw new DatabaseLockedError(path, result.heldBy);
  return result.lock;
}
