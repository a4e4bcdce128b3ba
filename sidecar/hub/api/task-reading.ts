/** Reads tasks for the API: pages with filters, and one task with everything that belongs to it. */
import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import { readRequirement, suits } from '../queue/requirements.ts';
import { approvalView, steerView, taskSummary } from '../queue/views.ts';
import { isInFlight, isQueued } from '../storage/conditions.ts';
import { headColumns } from '../storage/tables.ts';
import type { TaskHead, TaskRow, TaskStatus } from '../storage/tables.ts';
import type { ApiContext } from './context.ts';
import { lastEventId } from './sse.ts';
import type { TaskListQuery } from './task-routes.ts';
import { withoutCredentials } from '../../addresses/without-credentials.ts';

/** One page, newest first. The sequence number is read before the tasks, so that a stream from it misses nothing. */
export async function listTasks(context: ApiContext, query: TaskListQuery) {
  const lastId = await lastEventId(context);
  let matching = context.store.db.selectFrom('tasks');
  if (query.status) matching = matching.where('status', 'in', query.status).where(whichIndex(query.status));
  if (query.worker !== undefined) matching = matching.where('worker_id', '=', query.worker);
  if (query.q !== undefined && query.q.trim() !== '') {
    const pattern = `%${query.q.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    matching = matching.where((eb) =>
      eb.or([likes('title', pattern), likes('id', pattern), likes('repo', pattern)]),
    );
  }
  const before = query.before ?? Number.MAX_SAFE_INTEGER;
  const [rows, { total }] = await Promise.all([
    matching
      .select(headColumns)
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(query.limit + 1)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const page = rows.slice(0, query.limit);
  return {
    tasks: page.map(taskSummary),
    next_before: rows.length > query.limit ? (page.at(-1)?.seq ?? null) : null,
    total,
    last_event_id: lastId,
  };
}

/** Says in literal text what the statuses have in common, so that a partial index can answer. */
function whichIndex(statuses: readonly TaskStatus[]): RawBuilder<SqlBool> {
  const open = statuses.filter(
    (status) => status === 'queued' || status === 'assigned' || status === 'running',
  );
  if (open.length === 0) return sql`finished_at IS NOT NULL`;
  if (open.length < statuses.length) return sql`1 = 1`;
  if (open.includes('queued')) return open.length === 1 ? isQueued : sql`finished_at IS NULL`;
  return isInFlight;
}

const likes = (column: 'title' | 'id' | 'repo', pattern: string) =>
  sql<boolean>`(LOWER(COALESCE(${sql.ref(column)}, '')) LIKE LOWER(${pattern}) ESCAPE '\\')`;

/** Everything about one task but its events. */
export async function taskDetail(context: ApiContext, task: TaskRow) {
  const lastId = await lastEventId(context);
  const [approvals, steers, waitingFor] = await Promise.all([
    context.conversations.approvals(task.id),
    context.conversations.steers(task.id),
    whyWaiting(context, task),
  ]);
  return {
    ...taskSummary(task),
    content: shownContent(task.content),
    result: task.result === null ? null : (JSON.parse(task.result) as Record<string, unknown>),
    verification_report:
      task.verification_report === null
        ? null
        : (JSON.parse(task.verification_report) as Record<string, unknown>),
    approvals: approvals.map(approvalView),
    steering: steers.map(steerView),
    waiting_for: waitingFor,
    last_event_id: lastId,
  };
}

/** The task as it was submitted; what opens its repository is for its worker alone. */
function shownContent(text: string): Record<string, unknown> {
  const content = JSON.parse(text) as Record<string, unknown>;
  const { repo } = content;
  return typeof repo === 'string' ? { ...content, repo: withoutCredentials(repo) } : content;
}

/** In words, for people who wonder why nothing happens; null where the task is not waiting. */
async function whyWaiting(context: ApiContext, task: TaskHead): Promise<string | null> {
  if (task.status !== 'queued') return null;
  const now = context.clock.now();
  if (task.not_before > now) return task.attempts > 0 ? 'the wait before the next attempt' : 'its start time';
  const connected = (await context.workers.views()).filter((worker) => worker.connected);
  if (connected.length === 0) return 'a worker: none is connected';
  const requirement = readRequirement(task.requirement);
  const fitting = connected.filter((one) => suits(requirement, { ...one, agentId: one.agent_id }));
  if (fitting.length > 0) {
    return fitting.every((one) => one.draining) ? 'a worker that is not draining' : 'room on a worker';
  }
  const { labels, model, agentId } = requirement;
  const wants = [
    ...(agentId ? [`named ${agentId}`] : []),
    ...(labels.length > 0 ? [`with the labels ${labels.join(', ')}`] : []),
    ...(model ? [`with the model ${model}`] : []),
  ];
  return `a worker ${wants.join(' and ')}: none is connected`;
}
