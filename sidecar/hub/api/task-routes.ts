/** Routes of tasks: submit, list, show, follow, cancel, retry. */
import * as z from 'zod';
import { idempotencyKeySchema, submissionSchema } from '../queue/submission.ts';
import { formatEventJson } from '../stream/broadcaster.ts';
import type { ApiContext } from './context.ts';
import { readTask } from './context.ts';
import { pageSizeSchema, startNumberOf, cutPage, sequenceNumberSchema, taskParamsSchema } from './inputs.ts';
import { ProblemError } from './problem.ts';
import { readInput, declareRoute } from './route.ts';
import type { RouteDeclaration } from './route.ts';
import {
  eventListSchema,
  eventSchema,
  taskDetailSchema,
  taskListSchema,
  taskSummarySchema,
} from './schemas.ts';
import { readEvent, readEvents, streamEvents } from './sse.ts';
import { describeCreatedTask, listTasks, sendTask, readTaskDetail } from './task-reading.ts';
import { taskListQuerySchema } from './task-search.ts';
import { taskSummaryOf } from '../queue/views.ts';

export const createTaskRoutes = (context: ApiContext): RouteDeclaration[] => [
  createSubmitRoute(context),
  createListRoute(context),
  createDetailRoute(context),
  createEventsRoute(context),
  createEventRoute(context),
  createCancelRoute(context),
  createRetryRoute(context),
];

const createSubmitRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks',
    role: 'submitter',
    summary: 'Submit a task',
    body: submissionSchema,
    answers: describeCreatedTask(
      'The task',
      'The task that was submitted before with the same idempotency key',
    ),
    handle: async ({ body, request, reply, identity }) => {
      const header = request.headers['idempotency-key'];
      const key =
        body.idempotency_key ?? readInput(idempotencyKeySchema.optional(), header, 'Idempotency-Key');
      const submission = key === undefined ? body : { ...body, idempotency_key: key };
      const { task, created, conflict } = await context.queue.submit(submission, {
        submittedBy: identity.name,
      });
      if (conflict) {
        throw new ProblemError(
          'hub_idempotency_conflict',
          `The key belongs to task ${task.id}; use another key for another submission.`,
        );
      }
      return sendTask(reply, task, created);
    },
  });

const createListRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tasks',
    role: 'viewer',
    summary: 'List tasks, newest first',
    query: taskListQuerySchema,
    answers: { 200: { description: 'One page', schema: taskListSchema } },
    handle: ({ query }) => listTasks(context, query),
  });

const createDetailRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tasks/:id',
    role: 'viewer',
    summary: 'One task with its result',
    params: taskParamsSchema,
    answers: { 200: { description: 'The task', schema: taskDetailSchema } },
    handle: ({ params }) => readTaskDetail(context, params.id),
  });

const createEventsRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tasks/:id/events',
    role: 'viewer',
    summary: 'The events of a task after a sequence number; live with Accept: text/event-stream',
    params: taskParamsSchema,
    query: z.object({
      after: sequenceNumberSchema.describe(
        'Sequence number; the header Last-Event-ID takes precedence. Default 0: from the start',
      ),
      limit: pageSizeSchema(5000, 1000).describe('Events per page'),
    }),
    answers: { 200: { description: 'One page, or a stream of Server-Sent Events', schema: eventListSchema } },
    handle: async ({ params, query, identity, request, reply }) => {
      const task = await readTask(context, params.id);
      const after = startNumberOf(request, query) ?? 0;
      const scope = { taskId: task.id };
      if (acceptsStream(request.headers)) {
        await streamEvents(context, { request, reply }, { scope, after, identity });
        return undefined;
      }
      const rows = await readEvents(context, scope, after, query.limit + 1);
      const { page, more } = cutPage(rows, query.limit);
      const events = page.map(formatEventJson).join(',');
      const text = `{"events":[${events}],"next_after":${page.at(-1)?.id ?? after},"more":${more}}`;
      void reply.type('application/json; charset=utf-8').send(text);
      return undefined;
    },
  });

const createEventRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tasks/:id/events/:event',
    role: 'viewer',
    summary: 'One event with its details',
    params: taskParamsSchema.extend({ event: z.coerce.number().int().min(0).describe('Sequence number') }),
    answers: { 200: { description: 'The event', schema: eventSchema } },
    handle: async ({ params }) => {
      const row = await readEvent(context, { taskId: params.id, eventId: params.event });
      if (!row) {
        throw new ProblemError(
          'hub_event_not_found',
          'The event was removed or never existed; read the list of events again.',
        );
      }
      return { ...row, body: JSON.parse(row.body) as Record<string, unknown> };
    },
  });

const acceptsStream = ({ accept }: { accept?: string | undefined }): boolean =>
  (accept ?? '').includes('text/event-stream');

const createCancelRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks/:id/cancel',
    role: 'submitter',
    summary: 'Cancel a task that is not finished',
    params: taskParamsSchema,
    body: z.object({ reason: z.string().max(2000).optional() }),
    answers: { 200: { description: 'The cancelled task', schema: taskSummarySchema } },
    handle: async ({ params, body }) => {
      const transition = await context.queue.cancel(params.id, body.reason);
      const task = transition.task ?? (await readTask(context, params.id));
      if (task.status === 'cancelled') return taskSummaryOf(task);
      throw new ProblemError('hub_task_state', `The task has ended already (${task.status}).`);
    },
  });

const createRetryRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tasks/:id/retry',
    role: 'submitter',
    summary: 'Put a dead letter or a cancelled task back into the queue',
    params: taskParamsSchema,
    answers: { 200: { description: 'The queued task', schema: taskSummarySchema } },
    handle: async ({ params }) => {
      const transition = await context.queue.retry(params.id);
      if (transition.ok) return taskSummaryOf(transition.task);
      const task = await readTask(context, params.id);
      throw new ProblemError(
        'hub_task_state',
        `Only dead letters and cancelled tasks can be retried; this task has the status ${task.status}.`,
      );
    },
  });
