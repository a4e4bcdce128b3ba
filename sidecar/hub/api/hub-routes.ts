/** Routes of the hub as a whole: workers, figures, the live stream of all events. */
import * as z from 'zod';
import type { HubMetrics } from '../metrics.ts';
import { isAsking } from '../storage/conditions.ts';
import { shownStatuses } from '../storage/tables.ts';
import type { ShownStatus } from '../storage/tables.ts';
import type { ApiContext } from './context.ts';
import { startNumberOf, sequenceNumberSchema } from './inputs.ts';
import { createOverviewRoute } from './overview-route.ts';
import { ProblemError } from './problem.ts';
import { declareRoute } from './route.ts';
import type { RouteDeclaration } from './route.ts';
import { meSchema, statsSchema, workerSchema } from './schemas.ts';
import { streamEvents } from './sse.ts';
import { createTokenRoutes } from './token-routes.ts';

export const createHubRoutes = (context: ApiContext): RouteDeclaration[] => [
  createStreamRoute(context),
  createWorkersRoute(context),
  createDrainRoute(context),
  meRoute,
  createStatsRoute(context),
  createOverviewRoute(context),
  ...(context.metrics ? [createMetricsRoute(context.metrics)] : []),
  ...createTokenRoutes(context),
];

const createStreamRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/events',
    role: 'viewer',
    summary: 'All events, live, as Server-Sent Events',
    query: z.object({
      after: sequenceNumberSchema.describe(
        'Sequence number to resume after; the header Last-Event-ID takes precedence. Default: new events only',
      ),
      scope: z
        .enum(['all', 'state'])
        .default('all')
        .describe('`state`: state changes, approvals and steering only'),
      task: z
        .string()
        .max(256)
        .optional()
        .describe(
          'With scope `all`: only events of this task. With scope `state`: also all events of this task',
        ),
    }),
    answers: {
      200: {
        description: 'Kinds of events: execution, task, approval, steer, and worker, which is not stored',
        mediaType: 'text/event-stream',
      },
    },
    handle: async ({ query, identity, request, reply }) => {
      const stateOfAll = query.scope === 'state';
      const scope = {
        ...(query.task !== undefined && { taskId: query.task }),
        ...(stateOfAll && { stateOfAll }),
      };
      await streamEvents(
        context,
        { request, reply },
        { scope, after: startNumberOf(request, query), identity },
      );
      return undefined;
    },
  });

const createWorkersRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/workers',
    role: 'viewer',
    summary: 'All workers ever seen, connected ones first',
    answers: { 200: { description: 'The workers', schema: z.object({ workers: z.array(workerSchema) }) } },
    handle: async () => ({ workers: await context.workers.listViews() }),
  });

const createDrainRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/workers/:id/drain',
    role: 'admin',
    summary: 'Drain a worker (it finishes its tasks and gets no new ones), or resume it',
    params: z.object({ id: z.string().min(1).max(128).describe('Worker id') }),
    body: z.object({ drain: z.boolean().default(true), reason: z.string().max(2000).optional() }),
    answers: { 200: { description: 'The worker', schema: workerSchema } },
    handle: async ({ params, body }) => {
      const isKnown = await context.workers.drain(params.id, body.drain, body.reason);
      const [worker] = isKnown ? await context.workers.listViews(params.id) : [];
      if (!worker)
        throw new ProblemError(
          'hub_worker_not_found',
          'No worker has this id; `ollama-sidecar workers` and GET /api/workers list all workers.',
        );
      return worker;
    },
  });

const meRoute = declareRoute({
  method: 'GET',
  path: '/api/me',
  role: 'viewer',
  summary: 'Name and role of the token',
  answers: { 200: { description: 'The token’s name and role', schema: meSchema } },
  handle: ({ identity: { name, role } }) => Promise.resolve({ name, role }),
});

const createStatsRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/stats',
    role: 'viewer',
    summary: 'Counts of tasks and workers, and total usage',
    answers: { 200: { description: 'Current values', schema: statsSchema } },
    handle: () => readStats(context),
  });

async function readStats(context: ApiContext) {
  const [sums, { asks }, workers] = await Promise.all([
    context.taskSums.readSums(),
    context.store.db
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<number>().as('asks'))
      .where(isAsking)
      .executeTakeFirstOrThrow(),
    context.workers.listViews(),
  ]);
  const counts = new Map<ShownStatus, number>(sums.counts);
  counts.set('asks', asks).set('running', Math.max(0, (counts.get('running') ?? 0) - asks));
  const connected = workers.filter((worker) => worker.connected);
  return {
    tasks: Object.fromEntries(shownStatuses.map((status) => [status, counts.get(status) ?? 0])) as Record<
      ShownStatus,
      number
    >,
    outcomes: { unverified: sums.unverified, not_done: sums.partialsWithoutPassingCheck },
    workers: {
      connected: connected.length,
      draining: connected.filter((worker) => worker.draining).length,
      capacity: connected.reduce((total, { capacity }) => total + capacity, 0),
      load: connected.reduce((total, { load }) => total + load, 0),
    },
    totals: {
      tokens_in: sums.tokensIn,
      tokens_out: sums.tokensOut,
      estimated_cost_usd: sums.costUsd,
    },
    streams: context.broadcaster.readerCount,
    started_at: context.startedAtMs,
  };
}

/** Creates the metrics route. It requires a token even on loopback: behind a proxy, every caller seems to be local. */
const createMetricsRoute = (metrics: HubMetrics) =>
  declareRoute({
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Exposition text', mediaType: 'text/plain' } },
    handle: async ({ reply }) => {
      const { contentType, body } = await metrics.renderText();
      void reply.type(contentType);
      return body;
    },
  });
