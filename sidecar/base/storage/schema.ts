/**
 * Declares the tables of the worker's databases. A change needs a new migration (CONTRIBUTING, Add a column).
 * Migrations of released versions never change.
 */
import type { Selectable } from 'kysely';
import * as column from './columns.ts';
import { buildCreateStatements, type TablesOf } from './columns.ts';
import type { DatabaseSchema } from './schema-state.ts';

const { addConstraint: constrained, integer, rowNumber, serial, text, textKey, textOrNull } = column;

/** The outbox and the history are separate tables, since their rows remain after a task is removed from `tasks`. */
const stateTables = {
  tasks: {
    task_id: textKey,
    generation: integer,
    assignment: text,
    state: column.enumOf<'accepted' | 'running'>(),
    accepted_at: integer,
  },
  journal: {
    id: rowNumber,
    task_id: constrained(text, 'REFERENCES tasks ON DELETE CASCADE'),
    stage: text,
    round: integer,
    call: integer,
    kind: column.enumOf<'answer' | 'intent' | 'result' | 'input'>(),
    body: text,
    used_ms: column.integerOrNull,
  },
  outbox: { id: serial, task_id: text, frame: text, attempts: column.counter },
  history: {
    id: serial,
    task_id: text,
    generation: integer,
    outcome: text,
    result: textOrNull,
    error: textOrNull,
    delivery: text,
    finished_at: integer,
  },
};

type StateTables = TablesOf<typeof stateTables>;
/** Row of a table of `state.sqlite`. */
export type StateRow<Table extends keyof StateTables> = Selectable<StateTables[Table]>;

export const stateSchema: DatabaseSchema = {
  legacyVersion: 3,
  migrations: {
    'state-0001': [
      ...buildCreateStatements(stateTables, { kind: 'sqlite', strict: true }),
      'CREATE INDEX IF NOT EXISTS journal_by_stage ON journal (task_id, stage, id)',
      'CREATE UNIQUE INDEX IF NOT EXISTS outbox_by_task ON outbox (task_id)',
      'CREATE INDEX IF NOT EXISTS history_by_task ON history (task_id)',
      'CREATE INDEX IF NOT EXISTS history_by_time ON history (finished_at)',
    ],
    'state-0002': ['ALTER TABLE journal DROP COLUMN call'],
  },
};

const sumColumns = {
  calls: integer,
  tokens_in: integer,
  tokens_out: integer,
  gpu_seconds: column.real,
  cost_usd: column.real,
};
const ledgerTables = {
  calls: {
    id: rowNumber,
    task_id: text,
    model: text,
    iteration: integer,
    tokens_in: integer,
    tokens_out: integer,
    total_ns: column.counter,
    load_ns: column.counter,
    prompt_eval_ns: column.counter,
    eval_ns: column.counter,
    gpu_seconds: column.real,
    cost_usd: column.real,
    at: integer,
    state: text,
  },
  task_totals: { task_id: textKey, ...sumColumns, first_at: integer, last_at: integer },
  day_totals: { day: integer, model: text, ...sumColumns },
};

export const ledgerSchema: DatabaseSchema = {
  legacyVersion: 3,
  migrations: {
    'ledger-0001': [
      ...buildCreateStatements(ledgerTables, {
        kind: 'sqlite',
        strict: true,
        constraints: { day_totals: 'PRIMARY KEY (day, model)' },
      }),
      'CREATE INDEX IF NOT EXISTS calls_by_time ON calls (at)',
      'CREATE INDEX IF NOT EXISTS calls_by_task ON calls (task_id, at)',
      "CREATE INDEX IF NOT EXISTS calls_reserved ON calls (id) WHERE state = 'reserved'",
      'CREATE INDEX IF NOT EXISTS task_totals_by_time ON task_totals (last_at)',
    ],
  },
};
