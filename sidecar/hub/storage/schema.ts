/**
 * The hub's tables in SQL. A change of the tables is a new version; databases of other versions are refused. Only this
 * file chooses the types that differ between SQLite and PostgreSQL.
 */
import { sql } from 'kysely';
import { otherSchema } from '../../storage/storage-error.ts';
import type { DatabaseKind, HubDatabase } from './hub-database.ts';

export const HUB_SCHEMA_VERSION = 8;

const columnTypes = {
  // `serial`: an ascending primary key that is never reused.
  sqlite: { serial: 'INTEGER PRIMARY KEY AUTOINCREMENT', integer: 'INTEGER', real: 'REAL' },
  postgresql: { serial: 'BIGSERIAL PRIMARY KEY', integer: 'BIGINT', real: 'DOUBLE PRECISION' },
};

export function hubTables(kind: DatabaseKind): string {
  const { serial, integer, real } = columnTypes[kind];
  return `
  CREATE TABLE tasks (
    seq ${serial}, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, priority ${integer} NOT NULL,
    not_before ${integer} NOT NULL, requirement TEXT NOT NULL, title TEXT NOT NULL, repo TEXT,
    generation ${integer} NOT NULL, failures ${integer} NOT NULL, max_attempts ${integer} NOT NULL,
    reclaims ${integer} NOT NULL, worker_id TEXT, session_id TEXT, preferred_worker TEXT,
    preferred_until ${integer} NOT NULL, lease_until ${integer} NOT NULL, progress ${integer},
    hold_reason TEXT, hold_since ${integer}, asks TEXT,
    created_at ${integer} NOT NULL, updated_at ${integer} NOT NULL, assigned_at ${integer}, accepted_at ${integer},
    finished_at ${integer}, error TEXT, model_used TEXT, tokens_in ${integer}, tokens_out ${integer}, cost_usd ${real},
    iterations_used ${integer}, worked_ms ${integer} NOT NULL DEFAULT 0, verification_status TEXT, termination_reason TEXT, has_follow_up ${integer} NOT NULL,
    follow_up_of TEXT, follow_up_task TEXT, idempotency_key TEXT UNIQUE, submission_hash TEXT,
    submitted_by TEXT NOT NULL);
  CREATE INDEX tasks_queue ON tasks (requirement, priority DESC, seq) WHERE status = 'queued';
  CREATE INDEX tasks_due ON tasks (not_before) WHERE status = 'queued';
  CREATE INDEX tasks_first_go ON tasks (preferred_until) WHERE status = 'queued' AND preferred_until > 0;
  CREATE INDEX tasks_in_flight ON tasks (lease_until) WHERE status IN ('assigned', 'running');
  CREATE INDEX tasks_asking ON tasks (seq) WHERE asks IS NOT NULL;
  CREATE INDEX tasks_by_worker ON tasks (worker_id, id) WHERE status IN ('assigned', 'running');
  -- Only finished tasks: SQLite would choose a wider index for the queue's queries, where it is slow.
  CREATE INDEX tasks_finished ON tasks (status, seq) WHERE finished_at IS NOT NULL;

  CREATE TABLE task_texts (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    content TEXT NOT NULL, verification_report TEXT, result TEXT);

  CREATE TABLE attempts (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, generation ${integer} NOT NULL,
    worker_id TEXT NOT NULL, model TEXT, started_at ${integer} NOT NULL, ended_at ${integer}, ending TEXT, error TEXT,
    tokens_in ${integer}, tokens_out ${integer}, cost_usd ${real}, iterations ${integer},
    PRIMARY KEY (task_id, generation));
  CREATE INDEX attempts_of_a_day ON attempts (started_at);

  CREATE TABLE events (
    id ${serial}, task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, at ${integer} NOT NULL,
    generation ${integer} NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX events_by_task ON events (task_id, id);
  CREATE INDEX events_of_states ON events (id) WHERE kind <> 'execution';

  CREATE TABLE approvals (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, approval_id TEXT NOT NULL, kind TEXT NOT NULL,
    summary TEXT NOT NULL, status TEXT NOT NULL, text TEXT, created_at ${integer} NOT NULL, answered_at ${integer},
    answered_by TEXT, PRIMARY KEY (task_id, approval_id));
  CREATE INDEX approvals_pending ON approvals (task_id) WHERE status = 'pending';

  CREATE TABLE reports (
    id ${serial}, task_id TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, created_at ${integer} NOT NULL,
    attempts ${integer} NOT NULL, next_at ${integer} NOT NULL);
  CREATE INDEX reports_due ON reports (next_at);

  CREATE TABLE steers (
    id ${serial}, task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, text TEXT NOT NULL,
    created_at ${integer} NOT NULL, created_by TEXT NOT NULL, delivered_at ${integer});
  CREATE INDEX steers_by_task ON steers (task_id, id);

  CREATE TABLE workers (
    agent_id TEXT PRIMARY KEY, name TEXT NOT NULL, labels TEXT NOT NULL, models TEXT NOT NULL,
    capacity ${integer} NOT NULL, version TEXT, sandbox TEXT, ollama_url TEXT, connected ${integer} NOT NULL,
    draining ${integer} NOT NULL, session_id TEXT, connected_at ${integer}, last_seen_at ${integer} NOT NULL,
    resources TEXT);

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY, lookup TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, role TEXT NOT NULL,
    agent_id TEXT, created_at ${integer} NOT NULL, last_used_at ${integer}, expires_at ${integer});
  CREATE INDEX tokens_by_lookup ON tokens (lookup);

  CREATE TABLE figures (
    hour ${integer} NOT NULL, model TEXT NOT NULL, kind TEXT NOT NULL, count ${integer} NOT NULL,
    tokens_in ${integer} NOT NULL, tokens_out ${integer} NOT NULL, gpu_ms ${integer} NOT NULL,
    PRIMARY KEY (hour, model, kind));
  ${searchIndex[kind]}`;
}

/** Speeds up text search on PostgreSQL; for the database owner to run if the hub's user may not create an extension. */
export const trigramIndex = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX tasks_text ON tasks USING gin (LOWER(title || ' ' || id || ' ' || COALESCE(repo, '')) gin_trgm_ops);`;

/**
 * Finds tasks by any part (at least three characters) of their title or repository. PostgreSQL without the extension
 * reads the tasks instead.
 */
const searchIndex = {
  sqlite: `
  CREATE VIRTUAL TABLE task_search USING fts5(title, repo, content='tasks', content_rowid='seq', tokenize='trigram', detail='none');
  CREATE TRIGGER task_search_added AFTER INSERT ON tasks BEGIN
    INSERT INTO task_search (rowid, title, repo) VALUES (new.seq, new.title, new.repo);
  END;
  CREATE TRIGGER task_search_removed AFTER DELETE ON tasks BEGIN
    INSERT INTO task_search (task_search, rowid, title, repo) VALUES ('delete', old.seq, old.title, old.repo);
  END;`,
  postgresql: `
  DO $$ BEGIN
    ${trigramIndex}
  EXCEPTION WHEN OTHERS THEN NULL;
  END $$;`,
};

/** An arbitrary key, unlikely to be used by other advisory locks in the same database. */
const SCHEMA_LOCK = 0x6f6c6c62;

/**
 * Creates missing tables on PostgreSQL; safe if several hubs start at once. The comment of `tasks` has the schema
 * version. Returns whether the search index exists. Throws `StorageError` for a schema of another version.
 */
export function makePostgresTables(database: HubDatabase): Promise<boolean> {
  return database.transaction(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    const { rows } = await sql<{ table: string | null; comment: string | null }>`
      SELECT to_regclass('tasks')::text AS table, obj_description(to_regclass('tasks'), 'pg_class') AS comment`.execute(
      trx,
    );
    const { table = null, comment } = rows[0] ?? {};
    const version = HUB_SCHEMA_VERSION;
    if (table === null) {
      await sql.raw(`${hubTables('postgresql')} COMMENT ON TABLE tasks IS 'schema ${version}';`).execute(trx);
    } else if (comment !== `schema ${version}`) {
      const found = /^schema (\d+)$/u.exec(comment ?? '')?.[1] ?? 'unknown';
      throw otherSchema("the hub's database", { found, version });
    }
    const index = await sql<{ is: boolean }>`SELECT to_regclass('tasks_text') IS NOT NULL AS is`.execute(trx);
    return index.rows[0]?.is === true;
  });
}
