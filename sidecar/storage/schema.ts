/**
 * The tables of the worker's databases. A change of them is a new version; databases of other versions are refused.
 * Times are milliseconds since the epoch, bodies are JSON text.
 */
import type { SqliteSchema } from './sqlite-file.ts';

export const stateSchema: SqliteSchema = {
  version: 3,
  tables: `
  CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, assignment TEXT NOT NULL, state TEXT NOT NULL,
    accepted_at INTEGER NOT NULL) STRICT;

  CREATE TABLE journal (
    id INTEGER PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE, stage TEXT NOT NULL,
    round INTEGER NOT NULL, call INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, used_ms INTEGER) STRICT;
  CREATE INDEX journal_by_stage ON journal (task_id, stage, id);

  -- Both have rows of tasks that have ended, and so are no longer in tasks.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, frame TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE UNIQUE INDEX outbox_by_task ON outbox (task_id);

  CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, generation INTEGER NOT NULL, outcome TEXT NOT NULL,
    result TEXT, error TEXT, delivery TEXT NOT NULL, finished_at INTEGER NOT NULL) STRICT;
  CREATE INDEX history_by_task ON history (task_id);
  CREATE INDEX history_by_time ON history (finished_at);
  `,
};

export const ledgerSchema: SqliteSchema = {
  version: 3,
  tables: `
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY, task_id TEXT NOT NULL, model TEXT NOT NULL, iteration INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, total_ns INTEGER NOT NULL DEFAULT 0,
    load_ns INTEGER NOT NULL DEFAULT 0, prompt_eval_ns INTEGER NOT NULL DEFAULT 0, eval_ns INTEGER NOT NULL DEFAULT 0,
    gpu_seconds REAL NOT NULL, cost_usd REAL NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_by_task ON calls (task_id, at);
  CREATE INDEX calls_reserved ON calls (id) WHERE state = 'reserved';

  CREATE TABLE task_totals (
    task_id TEXT PRIMARY KEY, calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    gpu_seconds REAL NOT NULL, cost_usd REAL NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL) STRICT;
  CREATE INDEX task_totals_by_time ON task_totals (last_at);

  CREATE TABLE day_totals (
    day INTEGER NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL, gpu_seconds REAL NOT NULL, cost_usd REAL NOT NULL,
    PRIMARY KEY (day, model)) STRICT;
  `,
};
