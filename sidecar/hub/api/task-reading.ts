/** Tasks in the API's format: pages with filters, one task in detail, a created task. */
import type { FastifyReply } from 'fastify';
import { readBudgetUses, isUsedUp } from '../queue/budgets.ts';
import { attemptViewOf } from '../queue/attempts.ts';
import { steerViewOf, taskSummaryOf } from '../queue/views.ts';
import type { TaskHead } from '../storage/tables.ts';
import { readWholeTask, type ApiContext } from './context.ts';
import { taskSummarySchema } from './schemas.ts';
import { readLastEventId } from './sse.ts';
import { findTasks, type TaskListQuery } from './task-search.ts';
import { findWaitingReason } from './waiting.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import { isRecord } from '../../base/values/json.ts';

/**
 * Reads a page of tasks, newest first. The last sequence number is read first, so that a stream from this number misses
 * nothing.
 */
export async function listTasks(context: ApiContext, query: TaskListQuery) {
  const lastId = await readLastEventId(context);
  const { rows, nextBefore, total } = await findTasks(context, query);
  return {
    tasks: await addWaitingReasons(context, rows),
    next_before: nextBefore,
    total,
    last_event_id: lastId,
  };
}

/**
 * Reads a task with its texts, attempts and requests, but without its events. The last sequence number is read first,
 * so that a stream from this number misses nothing. Throws a 404 `ProblemError` if there is no such task.
 */
export async function readTaskDetail(context: ApiContext, taskId: string) {
  const lastId = await readLastEventId(context);
  const task = await readWholeTask(context, taskId);
  const [attempts, approvals, steers, [summary]] = await Promise.all([
    context.queue.listAttempts(task.id),
    context.conversations.listApprovals(task.id),
    context.conversations.listSteers(task.id),
    addWaitingReasons(context, [task]),
  ]);
  return {
    ...(summary as NonNullable<typeof summary>),
    content: hideTaskCredentials(JSON.parse(task.content) as JsonObject),
    result: task.result === null ? null : hideResultCredentials(JSON.parse(task.result) as JsonObject),
    verification_report:
      task.verification_report === null ? null : (JSON.parse(task.verification_report) as JsonObject),
    attempts: attempts.map(attemptViewOf),
    approvals,
    steering: steers.map(steerViewOf),
    last_event_id: lastId,
  };
}

/** Describes the responses of a route that creates a task, or returns the task of a repeated request. */
export const describeCreatedTask = (created: string, earlier: string) => ({
  201: { description: created, schema: taskSummarySchema },
  200: { description: earlier, schema: taskSummarySchema },
});

/** Sets the answer's status and location for a created or an earlier task and returns the task's summary. */
export function sendTask(reply: FastifyReply, task: TaskHead, created: boolean) {
  void reply.code(created ? 201 : 200).header('location', `/api/tasks/${task.id}`);
  return taskSummaryOf(task);
}

type JsonObject = Record<string, unknown>;

/** Returns the submitted content without the credentials of the repository's address, which only the worker gets. */
function hideTaskCredentials(content: JsonObject): JsonObject {
  const { repo } = content;
  return typeof repo === 'string' ? { ...content, repo: removeCredentials(repo) } : content;
}

/** Returns the result without the credentials that older workers left in the follow-up's address. */
function hideResultCredentials(result: JsonObject): JsonObject {
  const { follow_up: followUp } = result;
  return isRecord(followUp) ? { ...result, follow_up: hideTaskCredentials(followUp) } : result;
}

/** Adds to each task the reason why it waits, or null if it does not wait. */
async function addWaitingReasons(context: ApiContext, rows: readonly TaskHead[]) {
  const isWaiting = rows.some(({ status }) => status === 'queued');
  const [workers, uses] = isWaiting
    ? await Promise.all([context.workers.listViews(), readBudgetUses(context, context.store.db)])
    : [[], []];
  const hub = { workers, usedUp: uses.filter(isUsedUp), nowMs: context.clock.now() };
  return rows.map((row) => ({ ...taskSummaryOf(row), waiting_for: findWaitingReason(row, hub) }));
}
