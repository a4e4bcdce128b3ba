/**
 * The tables. Each entry is one schema version; a released entry is never edited, only followed by another.
 * Times are milliseconds since the epoch, bodies are JSON text.
 */
export const stateMigrations: readonly string[] = [
  `
  CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    assignment TEXT NOT NULL,
    state TEXT NOT NULL,
    workspace TEXT,
    accepted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL,
    stage TEXT NOT NULL,
    round INTEGER NOT NULL,
    call INTEGER NOT NULL,
    kind TEXT NOT NULL,
    generation INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX journal_by_stage ON journal (task_id, stage, id);

  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    frame TEXT NOT NULL,
    enqueued_at INTEGER NOT NULL,
    sent_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX outbox_by_task ON outbox (task_id);

  CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    result TEXT,
    delivery TEXT NOT NULL,
    finished_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX history_by_task ON history (task_id);
  CREATE INDEX history_by_time ON history (finished_at);
  `,
  'ALTER TABLE journal ADD COLUMN used_ms INTEGER',
];

export const ledgerMigrations: readonly string[] = [
  `
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL,
    model TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    total_ns INTEGER NOT NULL DEFAULT 0,
    load_ns INTEGER NOT NULL DEFAULT 0,
    prompt_eval_ns INTEGER NOT NULL DEFAULT 0,
    eval_ns INTEGER NOT NULL DEFAULT 0,
    gpu_seconds REAL NOT NULL,
    cost_usd REAL NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_reserved ON calls (id) WHERE state = 'reserved';

  CREATE TABLE task_totals (
    task_id TEXT PRIMARY KEY,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    gpu_seconds REAL NOT NULL,
    cost_usd REAL NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE day_totals (
    day INTEGER NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    gpu_seconds REAL NOT NULL,
    cost_usd REAL NOT NULL,
    PRIMARY KEY (day, model)
  ) STRICT;
  CREATE INDEX task_totals_by_time ON task_totals (last_at);
  `,
];
