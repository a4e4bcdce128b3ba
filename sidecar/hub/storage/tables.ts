/**
 * The hub's tables: each column is declared once, with its type and its SQL (`base/storage/columns.ts`). A change is a new
 * declaration, created by its own migration (migrations.ts).
 */
import type { Insertable, Selectable } from 'kysely';
import * as column from '../../base/storage/columns.ts';
import type { TablesOf } from '../../base/storage/columns.ts';

const { addConstraint: constrained, integer, integerOrNull, serial, text, textKey, textOrNull } = column;

/** `queued` waits (also for a retry or a later start), `assigned` was sent, `running` was accepted; the others are final. */
export const taskStatuses = [
  'queued',
  'assigned',
  'running',
  'success',
  'partial',
  'dead_letter',
  'cancelled',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];
/** The states that users see: a running task that waits for a user's answer is `asks`. */
export const shownStatuses = [...taskStatuses, 'asks'] as const;
export type ShownStatus = (typeof shownStatuses)[number];
export const eventKinds = ['execution', 'task', 'approval', 'steer'] as const;
export const approvalStatuses = ['pending', 'accepted', 'rejected', 'corrected', 'expired'] as const;
export const tokenRoles = ['admin', 'submitter', 'viewer', 'worker'] as const;
export type TokenRole = (typeof tokenRoles)[number];
/** Kinds of figures: how tasks ended, and `work` for model calls. */
export const figureKinds = [
  'verified',
  'unverified',
  'false_success',
  'partial',
  'failed',
  'cancelled',
  'work',
] as const;
export type StatisticKind = (typeof figureKinds)[number];

const taskReference = constrained(text, 'REFERENCES tasks (id) ON DELETE CASCADE');

/** The tables of the first migration. */
export const initialTables = {
  tasks: {
    /** Number of the task in order of submission, which is also the order of the queue within one priority. */
    seq: serial,
    id: constrained(text, 'UNIQUE'),
    status: column.enumOf<TaskStatus>(),
    /** Priority in the queue: tasks with a higher number start first. */
    priority: integer,
    /** Earliest time of assignment: a delayed start or the backoff of a retry. */
    not_before: integer,
    /** Canonical JSON of the requirement (queue/requirements.ts). */
    requirement: text,
    title: text,
    repo: textOrNull,
    /** Incremented whenever a task is assigned or requeued; fences late results. */
    generation: integer,
    /** Failed attempts since the last retry by a user. */
    failures: integer,
    max_attempts: integer,
    /** How often the task was requeued from a lost or silent worker. */
    reclaims: integer,
    worker_id: textOrNull,
    /** Connection over which the task was sent; the loss of a connection requeues only its own tasks. */
    session_id: textOrNull,
    /** The worker that is preferred for a requeued task. */
    preferred_worker: textOrNull,
    /** Time until which the preferred worker has precedence. */
    preferred_until: integer,
    lease_until: integer,
    progress: integerOrNull,
    /** Why a running task is on hold; null if it is not. */
    hold_reason: textOrNull,
    /** Time at which the hold began; null if the task is not on hold. */
    hold_since: integerOrNull,
    /** JSON of the oldest open request of a running task (queue/conversations.ts), or null. */
    asks: textOrNull,
    created_at: integer,
    updated_at: integer,
    assigned_at: integerOrNull,
    accepted_at: integerOrNull,
    finished_at: integerOrNull,
    error: textOrNull,
    model_used: textOrNull,
    /** Input tokens of all attempts. */
    tokens_in: integerOrNull,
    /** Output tokens of all attempts. */
    tokens_out: integerOrNull,
    /** Cost of all attempts. */
    cost_usd: column.realOrNull,
    /** Number of iterations of all attempts. */
    iterations_used: integerOrNull,
    /** Total duration of all ended attempts. */
    worked_ms: column.counter,
    verification_status: textOrNull,
    termination_reason: textOrNull,
    has_follow_up: integer,
    follow_up_of: textOrNull,
    /** The task created from this task's `follow_up`. */
    follow_up_task: textOrNull,
    idempotency_key: constrained(textOrNull, 'UNIQUE'),
    /** SHA-256 of the submission, to detect a reused idempotency key. */
    submission_hash: textOrNull,
    submitted_by: text,
  },
  /** Long texts, stored apart from the task so that lists and the queue do not read them. */
  task_texts: {
    task_id: constrained(textKey, 'REFERENCES tasks (id) ON DELETE CASCADE'),
    /** The submission without the hub's own fields, as sent in `task_assign`. */
    content: text,
    result: textOrNull,
    verification_report: textOrNull,
  },
  attempts: {
    task_id: taskReference,
    /** Generation of the attempt's assignment. */
    generation: integer,
    worker_id: text,
    model: textOrNull,
    started_at: integer,
    ended_at: integerOrNull,
    /** An `AttemptEnding`; null until the attempt ends. */
    ending: textOrNull,
    error: textOrNull,
    tokens_in: integerOrNull,
    tokens_out: integerOrNull,
    cost_usd: column.realOrNull,
    iterations: integerOrNull,
  },
  events: {
    /** Sequence number from which readers resume; ascending over all tasks in the order of commits. */
    id: serial,
    task_id: taskReference,
    at: integer,
    generation: integer,
    kind: column.enumOf<(typeof eventKinds)[number]>(),
    body: text,
  },
  approvals: {
    task_id: taskReference,
    approval_id: text,
    kind: text,
    summary: text,
    status: column.enumOf<(typeof approvalStatuses)[number]>(),
    text: textOrNull,
    created_at: integer,
    answered_at: integerOrNull,
    answered_by: textOrNull,
  },
  /** Reports of ended tasks that a webhook has not accepted yet. */
  reports: {
    id: serial,
    task_id: text,
    url: text,
    body: text,
    created_at: integer,
    attempts: integer,
    /** Earliest time of the next attempt to send the report. */
    next_at: integer,
  },
  steers: {
    id: serial,
    task_id: taskReference,
    text,
    created_at: integer,
    created_by: text,
    delivered_at: integerOrNull,
  },
  workers: {
    agent_id: textKey,
    name: text,
    /** JSON array of the worker's labels. */
    labels: text,
    /** JSON array of the worker's models. */
    models: text,
    capacity: integer,
    version: textOrNull,
    sandbox: textOrNull,
    ollama_url: textOrNull,
    connected: integer,
    /** Whether the worker drains. Survives reconnects; only an operator resets it. */
    draining: integer,
    session_id: textOrNull,
    connected_at: integerOrNull,
    last_seen_at: integer,
    /** JSON of the last `resource_report`. */
    resources: textOrNull,
  },
  tokens: {
    /** A random identifier, not derived from the token. */
    id: textKey,
    /** First 16 hex digits of the hash, for the index; the whole hash is compared in constant time. */
    lookup: text,
    hash: constrained(text, 'UNIQUE'),
    name: text,
    role: column.enumOf<TokenRole>(),
    agent_id: textOrNull,
    created_at: integer,
    /** Time of the token's last use; updated at most once a minute. */
    last_used_at: integerOrNull,
    expires_at: integerOrNull,
  },
  figures: {
    /** Start of the hour that the row sums up. */
    hour: integer,
    /** Model of the calls; empty if none was reported. */
    model: text,
    kind: column.enumOf<StatisticKind>(),
    count: integer,
    tokens_in: integer,
    tokens_out: integer,
    /** Busy time of the model server, in milliseconds. */
    gpu_ms: integer,
  },
};

export type Tables = TablesOf<typeof initialTables>;

/** A task without its long texts. */
export type TaskHead = Selectable<Tables['tasks']>;
export type TaskTexts = Omit<Selectable<Tables['task_texts']>, 'task_id'>;
export type TaskRow = TaskHead & TaskTexts;
/** A new task with its content. */
export type NewTaskRow = Insertable<Tables['tasks']> & Pick<TaskTexts, 'content'>;
export type AttemptRow = Selectable<Tables['attempts']>;
export type EventRow = Selectable<Tables['events']>;
export type NewEventRow = Insertable<Tables['events']>;
export type ApprovalRow = Selectable<Tables['approvals']>;
export type ReportRow = Selectable<Tables['reports']>;
export type SteerRow = Selectable<Tables['steers']>;
export type WorkerRow = Selectable<Tables['workers']>;
export type TokenRow = Omit<Selectable<Tables['tokens']>, 'lookup' | 'hash'>;
export type FigureRow = Selectable<Tables['figures']>;
