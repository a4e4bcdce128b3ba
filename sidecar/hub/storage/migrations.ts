/**
 * The migrations of the hub's database. Those of a released version stay as they are (CONTRIBUTING, Add a column). The
 * statements of the first one also suit a database from before migrations, which has all its tables.
 */
import { buildCreateStatements, type DatabaseKind } from '../../base/storage/columns.ts';
import type { DatabaseSchema } from '../../base/storage/schema-state.ts';
import { initialTables } from './tables.ts';

export const createHubSchema = (kind: DatabaseKind): DatabaseSchema => ({
  legacyVersion: 8,
  migrations: {
    'hub-0001': [
      ...buildCreateStatements(initialTables, { kind, constraints: primaryKeys }),
      ...indexes,
      ...searchIndex[kind],
    ],
  },
});

const primaryKeys = {
  attempts: 'PRIMARY KEY (task_id, generation)',
  approvals: 'PRIMARY KEY (task_id, approval_id)',
  figures: 'PRIMARY KEY (hour, model, kind)',
};

const indexes = [
  "tasks_queue ON tasks (requirement, priority DESC, seq) WHERE status = 'queued'",
  "tasks_due ON tasks (not_before) WHERE status = 'queued'",
  "tasks_first_go ON tasks (preferred_until) WHERE status = 'queued' AND preferred_until > 0",
  "tasks_in_flight ON tasks (lease_until) WHERE status IN ('assigned', 'running')",
  'tasks_asking ON tasks (seq) WHERE asks IS NOT NULL',
  "tasks_by_worker ON tasks (worker_id, id) WHERE status IN ('assigned', 'running')",
  // The index has only finished tasks: SQLite would choose a wider index for the queue's queries, which would be slow.
  'tasks_finished ON tasks (status, seq) WHERE finished_at IS NOT NULL',
  'attempts_of_a_day ON attempts (started_at)',
  'events_by_task ON events (task_id, id)',
  "events_of_states ON events (id) WHERE kind <> 'execution'",
  "approvals_pending ON approvals (task_id) WHERE status = 'pending'",
  'reports_due ON reports (next_at)',
  'steers_by_task ON steers (task_id, id)',
  'tokens_by_lookup ON tokens (lookup)',
].map((index) => `CREATE INDEX IF NOT EXISTS ${index}`);

/**
 * Statements that speed up text search on PostgreSQL. The owner of the database can run them if the hub's user may not
 * create an extension.
 */
export const trigramIndex = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX tasks_text ON tasks USING gin (LOWER(title || ' ' || id || ' ' || COALESCE(repo, '')) gin_trgm_ops);`;

/**
 * Index that finds tasks by any part (at least three characters) of their title or repository. Without the extension,
 * PostgreSQL reads the tasks instead.
 */
const searchIndex = {
  sqlite: [
    "CREATE VIRTUAL TABLE IF NOT EXISTS task_search USING fts5(title, repo, content='tasks', content_rowid='seq', tokenize='trigram', detail='none')",
    `CREATE TRIGGER IF NOT EXISTS task_search_added AFTER INSERT ON tasks BEGIN
      INSERT INTO task_search (rowid, title, repo) VALUES (new.seq, new.title, new.repo);
    END`,
    `CREATE TRIGGER IF NOT EXISTS task_search_removed AFTER DELETE ON tasks BEGIN
      INSERT INTO task_search (task_search, rowid, title, repo) VALUES ('delete', old.seq, old.title, old.repo);
    END`,
  ],
  postgresql: [
    `DO $$ BEGIN
      ${trigramIndex}
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$`,
  ],
};
