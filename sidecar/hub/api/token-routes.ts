/** Routes of tokens: create, list, revoke. A token is returned only when it is created. */
import * as z from 'zod';
import { DAY_MS } from '../storage/count-figures.ts';
import { tokenRoles } from '../storage/tables.ts';
import type { ApiContext } from './context.ts';
import { ProblemError } from './problem.ts';
import { declareRoute } from './route.ts';
import type { RouteDeclaration } from './route.ts';
import { timeSchema } from './schemas.ts';

export const tokenSchema = z.object({
  id: z.string(),
  name: z.string().describe('Shown as the submitter of a task'),
  role: z.enum(tokenRoles),
  agent_id: z.string().nullable(),
  created_at: timeSchema,
  last_used_at: timeSchema.nullable().describe('Accurate to the minute'),
  expires_at: timeSchema.nullable(),
});

export const createTokenRoutes = (context: ApiContext): RouteDeclaration[] => [
  createIssueRoute(context),
  createListRoute(context),
  createRevokeRoute(context),
];

const createIssueRoute = (context: ApiContext) =>
  declareRoute({
    method: 'POST',
    path: '/api/tokens',
    role: 'admin',
    summary: 'Create a token. It is shown once; only its hash is stored',
    body: z
      .object({
        role: z.enum(tokenRoles),
        agent_id: z.string().min(1).max(128).optional(),
        name: z.string().trim().min(1).max(128).optional().describe('Default: the worker’s id, or the role'),
        expires_in_days: z
          .number()
          .int()
          .min(1)
          .max(3650)
          .optional()
          .describe('Default: the token does not expire'),
      })
      .refine(({ role, agent_id: id }) => role !== 'worker' || id !== undefined, {
        path: ['agent_id'],
        message: 'required for the role worker',
      }),
    answers: { 201: { description: 'The token', schema: tokenSchema.extend({ token: z.string() }) } },
    handle: async ({ body, reply }) => {
      const { role, agent_id: workerId, name, expires_in_days: days } = body;
      void reply.code(201);
      return context.authenticator.issue({ role, workerId, name, lifeMs: days && days * DAY_MS });
    },
  });

const createListRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/tokens',
    role: 'admin',
    summary: 'The issued tokens, oldest first, without their secrets',
    answers: { 200: { description: 'The tokens', schema: z.object({ tokens: z.array(tokenSchema) }) } },
    handle: async () => ({ tokens: await context.authenticator.list() }),
  });

const createRevokeRoute = (context: ApiContext) =>
  declareRoute({
    method: 'DELETE',
    path: '/api/tokens/:id',
    role: 'admin',
    summary: 'Revoke a token and close the connections and streams that use it',
    params: z.object({ id: z.string().min(1).max(64).describe('Token id') }),
    answers: { 200: { description: 'The revoked token', schema: tokenSchema } },
    handle: async ({ params }) => {
      const revokedToken = await context.authenticator.revoke(params.id);
      if (!revokedToken)
        throw new ProblemError(
          'hub_token_not_found',
          'No token has this id; GET /api/tokens lists all tokens.',
        );
      return revokedToken;
    },
  });
