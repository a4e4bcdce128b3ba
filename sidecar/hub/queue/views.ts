/** Rows as the API, the event stream and the dashboard show them. Pure. */
import { isNotDone } from '../../protocol/result.ts';
import type { SteerRow, TaskHead, WorkerRow } from '../storage/tables.ts';
import { readRequirement } from './requirements.ts';

/** A task in lists and in `task` events: no description, no result. */
export function taskSummary(row: TaskHead) {
  const asks = askOf(row);
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

export interface Ask {
  approval_id: string;
  kind: string;
  summary: string;
  since: number;
}

/** Returns the oldest open request of a running task; null when none waits. A row that just ended may still have one. */
const askOf = ({ status, asks }: Pick<TaskHead, 'status' | 'asks'>): Ask | null =>
  asks !== null && (status === 'running' || status === 'assigned') ? (JSON.parse(asks) as Ask) : null;

export function steerView({ id, text, created_at, created_by, delivered_at }: SteerRow) {
  return { steer_id: id, text, created_at, created_by, delivered_at };
}

export interface WorkerCondition {
  /** Why it takes no tasks. */
  notReady?: string | undefined;
  /** A problem that keeps it from no task. */
  notice?: string | undefined;
}

/** A worker with what it has to do right now, and how it is as far as this replica knows. */
export function workerView(
  row: WorkerRow,
  taskIds: readonly string[],
  { notReady, notice }: WorkerCondition = {},
) {
  return {
    agent_id: row.agent_id,
    name: row.name,
    connected: row.connected === 1,
    draining: row.draining === 1,
    not_ready: notReady ?? null,
    notice: notice ?? null,
    capacity: row.capacity,
    load: taskIds.length,
    task_ids: [...taskIds],
    labels: JSON.parse(row.labels) as string[],
    models: JSON.parse(row.models) as string[],
    version: row.version,
    sandbox: row.sandbox,
    ollama_url: row.ollama_url,
    connected_at: row.connected_at,
    last_seen_at: row.last_seen_at,
    resources: row.resources === null ? null : (JSON.parse(row.resources) as Record<string, number | null>),
  };
}
export type WorkerView = ReturnType<typeof workerView>;
