/** Converts rows to the format of the API, the event stream and the dashboard. Pure. */
import { isNotDone } from '../../base/protocol/result.ts';
import type { SteerRow, TaskHead, WorkerRow } from '../storage/tables.ts';
import { isOlderVersion, VERSION } from '../../base/system/version.ts';
import { readRequirement } from './requirements.ts';

/** Converts a task for lists and `task` events: no description, no result. */
export function taskSummaryOf(row: TaskHead) {
  const asks = openRequestOf(row);
  const { labels, model, agentId } = readRequirement(row.requirement);
  return {
    task_id: row.id,
    title: row.title,
    status: asks ? ('asks' as const) : row.status,
    priority: row.priority,
    repo: row.repo,
    labels,
    model: row.model_used ?? model ?? null,
    agent_id: agentId ?? null,
    worker_id: row.worker_id,
    generation: row.generation,
    failures: row.failures,
    max_attempts: row.max_attempts,
    progress: row.progress,
    on_hold:
      row.status === 'running' && row.hold_reason !== null && row.hold_since !== null
        ? { reason: row.hold_reason, since: row.hold_since }
        : null,
    asks,
    not_before: row.not_before,
    created_at: row.created_at,
    updated_at: row.updated_at,
    assigned_at: row.assigned_at,
    accepted_at: row.accepted_at,
    finished_at: row.finished_at,
    error: row.error,
    tokens_in: row.tokens_in,
    tokens_out: row.tokens_out,
    estimated_cost_usd: row.cost_usd,
    iterations_used: row.iterations_used,
    worked_ms: row.worked_ms,
    verification_status: row.verification_status,
    not_done: isNotDone(row),
    termination_reason: row.termination_reason,
    has_follow_up: row.has_follow_up === 1,
    follow_up_of: row.follow_up_of,
    follow_up_task_id: row.follow_up_task,
    submitted_by: row.submitted_by,
    seq: row.seq,
  };
}

export interface OpenRequest {
  approval_id: string;
  kind: string;
  summary: string;
  since: number;
}

/**
 * Returns the oldest open request of a running task, or null. The row of an ended task may still have an old request.
 */
const openRequestOf = ({ status, asks }: Pick<TaskHead, 'status' | 'asks'>): OpenRequest | null =>
  asks !== null && (status === 'running' || status === 'assigned') ? (JSON.parse(asks) as OpenRequest) : null;

export function steerViewOf({ id, text, created_at, created_by, delivered_at }: SteerRow) {
  return { steer_id: id, text, created_at, created_by, delivered_at };
}

export interface WorkerCondition {
  /** Reason for taking no tasks. */
  notReady?: string | undefined;
  /** Reason for taking only tasks that name a model. */
  needsModel?: string | undefined;
  /** A problem that does not stop the worker from taking tasks. */
  notice?: string | undefined;
  /** The last finished call: its model and generation speed. */
  lastCall?: { model: string | null; tokensPerSecond: number | null } | undefined;
  /** The worker's last failed attempt since it connected. */
  lastError?: { text: string; at: number } | undefined;
}

/** Converts a worker with its current tasks and its state on this replica. */
export function workerViewOf(
  row: WorkerRow,
  tasks: readonly Pick<TaskHead, 'id' | 'title'>[],
  { notReady, needsModel, notice, lastCall, lastError }: WorkerCondition = {},
) {
  return {
    agent_id: row.agent_id,
    name: row.name,
    connected: row.connected === 1,
    draining: row.draining === 1,
    not_ready: notReady ?? null,
    needs_model: needsModel ?? null,
    notice: notice ?? null,
    capacity: row.capacity,
    load: tasks.length,
    tasks: tasks.map(({ id, title }) => ({ task_id: id, title })),
    labels: JSON.parse(row.labels) as string[],
    models: JSON.parse(row.models) as string[],
    version: row.version,
    outdated: isOlderVersion(row.version ?? '', VERSION),
    model: lastCall?.model ?? null,
    tokens_per_second: lastCall?.tokensPerSecond ?? null,
    last_error: lastError ?? null,
    sandbox: row.sandbox,
    ollama_url: row.ollama_url,
    connected_at: row.connected_at,
    last_seen_at: row.last_seen_at,
    resources: row.resources === null ? null : (JSON.parse(row.resources) as Record<string, number | null>),
  };
}
export type WorkerView = ReturnType<typeof workerViewOf>;
