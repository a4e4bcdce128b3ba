/** The HTTP server: declared routes, health, the OpenAPI document and the dashboard's files, all with limits. */
import Fastify from 'fastify';
import type { FastifyError, FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { isDeeperThan, MAX_FRAME_DEPTH } from '../../base/protocol/frames.ts';
import type { ApiContext } from './context.ts';
import { createMessageRoutes } from './message-routes.ts';
import { serveDashboard } from '../dashboard/serve.ts';
import { createHubRoutes } from './hub-routes.ts';
import { createOpenApiDocument } from './openapi.ts';
import { serveMcp } from './mcp-route.ts';
import { isDiskFull } from '../storage/unit-of-work.ts';
import { ProblemError, problems, sendProblem } from './problem.ts';
import { registerRoute } from './route.ts';
import { createTaskRoutes } from './task-routes.ts';

interface HttpServerOptions {
  /** Folder of the dashboard's page; without it, the server has only the API. */
  dashboardDir?: string;
  version: string;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Creates a server that does not listen yet. */
export function createHttpServer(context: ApiContext, options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
    // URLs that cannot be decoded are reported here, because they do not reach the handlers below.
    frameworkErrors: (error, _request, reply) => void sendProblem(reply, toProblem(error, context)),
    schemaController: {
      compilersFactory: { buildValidator: rejectJsonSchemas, buildSerializer: rejectJsonSchemas },
    },
  });
  acceptEmptyJson(app);
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    sendProblem(reply, toProblem(error, context)),
  );
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new ProblemError('hub_not_found', '/api/openapi.json lists all routes.')),
  );
  const routes = [...createTaskRoutes(context), ...createMessageRoutes(context), ...createHubRoutes(context)];
  for (const declaration of routes) registerRoute(app, context.authenticator, declaration);
  let document: object | undefined;
  app.get('/api/openapi.json', () => (document ??= createOpenApiDocument(routes, options.version)));
  serveHealth(app, context);
  serveMcp(app, context);
  if (options.dashboardDir !== undefined) serveDashboard(app, options.dashboardDir);
  return app;
}

/** Replaces Fastify's JSON Schema compilers, which are never needed: routes have zod schemas (route.ts). */
const rejectJsonSchemas = () => () => {
  throw new Error('a route has a JSON Schema: declare the route with zod');
};

/** Parses JSON bodies. Accepts an empty body, which `POST …/cancel` may have. */
function acceptEmptyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') {
      done(null, {});
      return;
    }
    // Workers refuse a deeper task, and recursive code would overflow the stack.
    if (isDeeperThan(text as string, MAX_FRAME_DEPTH)) {
      const detail = `The body is nested deeper than ${MAX_FRAME_DEPTH} levels.`;
      done(new ProblemError('hub_request_invalid', detail));
      return;
    }
    try {
      done(null, JSON.parse(text as string));
    } catch {
      done(new ProblemError('hub_request_invalid', 'The body is not JSON.'));
    }
  });
}

function serveHealth(app: FastifyInstance, context: ApiContext): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await sql`SELECT 1`.execute(context.store.db);
      if (context.store.hasFullDisk)
        return await reply.code(503).send({ status: problems.hub_disk_full.title });
      return { status: 'ready' };
    } catch (error) {
      context.logger.error({ err: error }, 'the database does not answer');
      return reply.code(503).send({ status: 'the database does not answer' });
    }
  });
}

function toProblem(error: FastifyError | ProblemError, context: ApiContext): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ProblemError('hub_body_too_large', `Send at most ${MAX_BODY_BYTES} bytes.`);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ProblemError('hub_media_type', 'Send "Content-Type: application/json".');
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new ProblemError('hub_request_invalid', error.message);
  }
  context.logger.error({ err: error }, 'a request failed');
  if (isDiskFull(error))
    return new ProblemError('hub_disk_full', 'Free disk space on the hub’s machine and try again.');
  return new ProblemError('hub_internal', "Try again; the hub's log contains the error.");
}
