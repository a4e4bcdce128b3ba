/**
 * Types of the hub's tables for Kysely, equal on SQLite and PostgreSQL: times are milliseconds since the epoch, truth
 * values are 0 and 1, objects are JSON text.
 */
import type { Generated, Insertable, Selectable } from 'kysely';

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

interface TaskTable {
  /** Order of submission, and of the queue within one priority. */
  seq: Generated<number>;
  id: string;
  status: TaskStatus;
  /** Higher goes first. */
  priority: number;
  /** Earliest time of assignment: a delayed start or the backoff of a retry. */
  not_before: number;
  /** Canonical JSON of the requirement (queue/requirements.ts). */
  requirement: string;
  title: string;
  repo: string | null;
  /** Incremented whenever a task is assigned or requeued; fences late results. */
  generation: number;
  /** Failed attempts since the last retry by a user. */
  failures: number;
  max_attempts: number;
  /** How often the task was requeued from a lost or silent worker. */
  reclaims: number;
  worker_id: string | null;
  /** The connection that the task was sent over; a lost connection requeues only its own tasks. */
  session_id: string | null;
  /** The worker that is preferred for a requeued task, and until when. */
  preferred_worker: string | null;
  preferred_until: number;
  lease_until: number;
  progress: number | null;
  /** Why a running task is on hold, and since when; null if it is not. */
  hold_reason: string | null;
  hold_since: number | null;
  /** JSON of the oldest open request of a running task (queue/conversations.ts), or null. */
  asks: string | null;
  created_at: number;
  updated_at: number;
  assigned_at: number | null;
  accepted_at: number | null;
  finished_at: number | null;
  error: string | null;
  model_used: string | null;
  /** These figures are sums over all attempts. */
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
  iterations_used: number | null;
  /** Total duration of all ended attempts. */
  worked_ms: Generated<number>;
  verification_status: string | null;
  termination_reason: string | null;
  has_follow_up: number;
  follow_up_of: string | null;
  /** The task created from this task's `follow_up`. */
  follow_up_task: string | null;
  idempotency_key: string | null;
  /** SHA-256 of the submission, to detect a reused idempotency key. */
  submission_hash: string | null;
  submitted_by: string;
}
/** A task without its long texts. */
export type TaskHead = Selectable<TaskTable>;

/** Long texts, stored apart from the task so that lists and the queue do not read them. */
interface TaskTextTable {
  task_id: string;
  /** The submission without the hub's own fields, as sent in `task_assign`. */
  content: string;
  result: string | null;
  verification_report: string | null;
}
export type TaskTexts = Omit<Selectable<TaskTextTable>, 'task_id'>;
export type TaskRow = TaskHead & TaskTexts;
/** A new task with its content. */
export type NewTaskRow = Insertable<TaskTable> & Pick<TaskTexts, 'content'>;

export interface AttemptTable {
  task_id: string;
  /** The generation of its assignment. */
  generation: number;
  worker_id: string;
  model: string | null;
  started_at: number;
  ended_at: number | null;
  /** An `AttemptEnding`; null until the attempt ends. */
  ending: string | null;
  error: string | null;
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
  iterations: number | null;
}

export const eventKinds = ['execution', 'task', 'approval', 'steer'] as const;

interface EventTable {
  /** Sequence number from which readers resume; ascending over all tasks in the order of commits. */
  id: Generated<number>;
  task_id: string;
  at: number;
  generation: number;
  kind: (typeof eventKinds)[number];
  body: string;
}
export type EventRow = Selectable<EventTable>;
export type NewEventRow = Insertable<EventTable>;

export const approvalStatuses = ['pending', 'accepted', 'rejected', 'corrected', 'expired'] as const;

interface ApprovalTable {
  task_id: string;
  approval_id: string;
  kind: string;
  summary: string;
  status: (typeof approvalStatuses)[number];
  text: string | null;
  created_at: number;
  answered_at: number | null;
  answered_by: string | null;
}
export type ApprovalRow = Selectable<ApprovalTable>;

/** Reports of ended tasks that a webhook has not accepted yet. */
interface ReportTable {
  id: Generated<number>;
  task_id: string;
  url: string;
  body: string;
  created_at: number;
  attempts: number;
  /** Earliest time of the next try. */
  next_at: number;
}
export type ReportRow = Selectable<ReportTable>;

interface SteerTable {
  id: Generated<number>;
  task_id: string;
  text: string;
  created_at: number;
  created_by: string;
  delivered_at: number | null;
}
export type SteerRow = Selectable<SteerTable>;

interface WorkerTable {
  agent_id: string;
  name: string;
  /** JSON arrays of strings. */
  labels: string;
  models: string;
  capacity: number;
  version: string | null;
  sandbox: string | null;
  ollama_url: string | null;
  connected: number;
  /** Survives reconnects; only an operator resets it. */
  draining: number;
  session_id: string | null;
  connected_at: number | null;
  last_seen_at: number;
  /** JSON of the last `resource_report`. */
  resources: string | null;
}
export type WorkerRow = Selectable<WorkerTable>;

export const tokenRoles = ['admin', 'submitter', 'viewer', 'worker'] as const;
export type TokenRole = (typeof tokenRoles)[number];

interface TokenTable {
  /** A random identifier, not derived from the token. */
  id: string;
  /** First 16 hex digits of the hash, for the index; the whole hash is compared in constant time. */
  lookup: string;
  hash: string;
  name: string;
  role: TokenRole;
  agent_id: string | null;
  created_at: number;
  /** Updated at most once a minute. */
  last_used_at: number | null;
  expires_at: number | null;
}
export type TokenRow = Omit<Selectable<TokenTable>, 'lookup' | 'hash'>;

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
export type FigureKind = (typeof figureKinds)[number];

interface FigureTable {
  /** Start of the hour. */
  hour: number;
  /** Empty if none was reported. */
  model: string;
  kind: FigureKind;
  count: number;
  tokens_in: number;
  tokens_out: number;
  /** Busy time of the model server, in milliseconds. */
  gpu_ms: number;
}
export type FigureRow = Selectable<FigureTable>;

export interface Tables {
  tasks: TaskTable;
  task_texts: TaskTextTable;
  attempts: AttemptTable;
  events: EventTable;
  approvals: ApprovalTable;
  reports: ReportTable;
  steers: SteerTable;
  workers: WorkerTable;
  tokens: TokenTable;
  figures: FigureTable;
}
