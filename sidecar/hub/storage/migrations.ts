/**
 * The hub's schema, in steps that are applied once each and never edited after a release.
 * Types that differ between SQLite and PostgreSQL are chosen here and nowhere else.
 */
import { Migrator, sql } from 'kysely';
import type { Kysely, Migration, RawBuilder } from 'kysely';
import { StorageError } from '../../storage/storage-error.ts';
import type { DatabaseKind, HubDatabase } from './hub-database.ts';

interface ColumnTypes {
  /** Primary key that counts up and is never used twice. */
  serial: RawBuilder<unknown>;
  integer: RawBuilder<unknown>;
  real: RawBuilder<unknown>;
}
const columnTypes: Record<DatabaseKind, ColumnTypes> = {
  sqlite: {
    serial: sql`INTEGER PRIMARY KEY AUTOINCREMENT`,
    integer: sql`INTEGER`,
    real: sql`REAL`,
  },
  postgresql: {
    serial: sql`BIGSERIAL PRIMARY KEY`,
    integer: sql`BIGINT`,
    real: sql`DOUBLE PRECISION`,
  },
};

/** The long texts come last: SQLite reads a row up to the last column that a query asks for. */
const createTasks = (types: ColumnTypes) => sql`CREATE TABLE tasks (
  seq ${types.serial}, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, priority ${types.integer} NOT NULL,
  not_before ${types.integer} NOT NULL, requirement TEXT NOT NULL, title TEXT NOT NULL,
  repo TEXT, generation ${types.integer} NOT NULL, attempts ${types.integer} NOT NULL,
  max_attempts ${types.integer} NOT NULL, reclaims ${types.integer} NOT NULL, worker_id TEXT, session_id TEXT,
  preferred_worker TEXT, preferred_until ${types.integer} NOT NULL, lease_until ${types.integer} NOT NULL,
  progress ${types.integer}, created_at ${types.integer} NOT NULL, updated_at ${types.integer} NOT NULL,
  assigned_at ${types.integer}, accepted_at ${types.integer}, finished_at ${types.integer}, error TEXT,
  model_used TEXT, tokens_in ${types.integer}, tokens_out ${types.integer}, cost_usd ${types.real},
  iterations_used ${types.integer}, verification_status TEXT, termination_reason TEXT,
  has_follow_up ${types.integer} NOT NULL, follow_up_of TEXT, follow_up_task TEXT, idempotency_key TEXT UNIQUE,
  submission_hash TEXT, submitted_by TEXT NOT NULL, content TEXT NOT NULL, verification_report TEXT, result TEXT)`;

const tables = (types: ColumnTypes): RawBuilder<unknown>[] => [
  createTasks(types),
  sql`CREATE INDEX tasks_queue ON tasks (requirement, priority DESC, seq) WHERE status = 'queued'`,
  sql`CREATE INDEX tasks_due ON tasks (not_before) WHERE status = 'queued'`,
  sql`CREATE INDEX tasks_first_go ON tasks (preferred_until) WHERE status = 'queued' AND preferred_until > 0`,
  sql`CREATE INDEX tasks_in_flight ON tasks (lease_until) WHERE status IN ('assigned', 'running')`,
  sql`CREATE INDEX tasks_by_worker ON tasks (worker_id, id) WHERE status IN ('assigned', 'running')`,
  // Only finished tasks: SQLite would choose a wider index for the queue's queries, where it is slow.
  sql`CREATE INDEX tasks_finished ON tasks (status, seq) WHERE finished_at IS NOT NULL`,
  sql`CREATE TABLE events (
    id ${types.serial}, task_id TEXT NOT NULL, at ${types.integer} NOT NULL,
    generation ${types.integer} NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)`,
  sql`CREATE INDEX events_by_task ON events (task_id, id)`,
  sql`CREATE TABLE approvals (
    task_id TEXT NOT NULL, approval_id TEXT NOT NULL, kind TEXT NOT NULL, summary TEXT NOT NULL,
    status TEXT NOT NULL, text TEXT, created_at ${types.integer} NOT NULL, answered_at ${types.integer},
    answered_by TEXT, PRIMARY KEY (task_id, approval_id))`,
  sql`CREATE TABLE steers (
    id ${types.serial}, task_id TEXT NOT NULL, text TEXT NOT NULL, created_at ${types.integer} NOT NULL,
    created_by TEXT NOT NULL, delivered_at ${types.integer})`,
  sql`CREATE INDEX steers_by_task ON steers (task_id, id)`,
  sql`CREATE TABLE workers (
    agent_id TEXT PRIMARY KEY, name TEXT NOT NULL, labels TEXT NOT NULL, models TEXT NOT NULL,
    capacity ${types.integer} NOT NULL, version TEXT, sandbox TEXT, ollama_url TEXT,
    connected ${types.integer} NOT NULL, draining ${types.integer} NOT NULL, session_id TEXT, replica_id TEXT,
    connected_at ${types.integer}, last_seen_at ${types.integer} NOT NULL, resources TEXT)`,
  sql`CREATE TABLE tokens (
    lookup TEXT NOT NULL, hash TEXT PRIMARY KEY, role TEXT NOT NULL, agent_id TEXT,
    created_at ${types.integer} NOT NULL)`,
  sql`CREATE INDEX tokens_by_lookup ON tokens (lookup)`,
];

const figures = (types: ColumnTypes): RawBuilder<unknown>[] => [
  sql`CREATE TABLE figures (
    hour ${types.integer} NOT NULL, model TEXT NOT NULL, kind TEXT NOT NULL, count ${types.integer} NOT NULL,
    tokens_in ${types.integer} NOT NULL, tokens_out ${types.integer} NOT NULL, gpu_ms ${types.integer} NOT NULL,
    PRIMARY KEY (hour, model, kind))`,
];

function migrationsFor(kind: DatabaseKind): Record<string, Migration> {
  const step = (statements: (types: ColumnTypes) => RawBuilder<unknown>[]): Migration => ({
    async up(db: Kysely<unknown>) {
      for (const statement of statements(columnTypes[kind])) await statement.execute(db);
    },
  });
  return { '001_queue_events_workers': step(tables), '002_figures': step(figures) };
}

const OTHER_SCHEMA =
  "The hub's database was written by another version of this program: use that version, or name another database with --database (embeddedHub.database)";

/** Brings the schema up to date; safe when several hubs start at once. Throws when a statement fails, and `StorageError` for a schema of another version. */
export async function migrate(database: HubDatabase): Promise<void> {
  const migrations = migrationsFor(database.kind);
  const migrator = new Migrator({
    db: database.db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  const { error } = await migrator.migrateToLatest();
  // Kysely's words for steps that it finds applied and does not know.
  if (error instanceof Error && error.message.startsWith('corrupted migrations'))
    throw new StorageError('storage_newer_schema', "the hub's database", OTHER_SCHEMA, error);
  if (error) throw new Error(`the hub's database could not be migrated`, { cause: error });
}
