/**
 * Declares routes: method, path, role and zod schemas. The declaration registers a route, validates its input, types
 * its handler's result and becomes its part of the OpenAPI document, so that they cannot disagree.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { issuesOf } from '../../base/protocol/fields.ts';
import type { TokenRole } from '../storage/tables.ts';
import { mayActAs } from './authenticator.ts';
import type { Authenticator, Identity } from './authenticator.ts';
import { ProblemError } from './problem.ts';

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Descriptions of answers by HTTP status. */
type Answers = Record<number, { description: string; schema?: z.ZodType; mediaType?: string }>;
/** The body types of the described answers; text if an answer has no schema. */
type BodyOf<A extends Answers> =
  A extends Record<number, infer One>
    ? One extends { schema: infer S extends z.ZodType }
      ? z.output<S>
      : string
    : never;

interface RouteCall<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  identity: Identity;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface RouteDeclaration<
  P extends z.ZodType | undefined = z.ZodType | undefined,
  Q extends z.ZodType | undefined = z.ZodType | undefined,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  A extends Answers = Answers,
> {
  method: 'GET' | 'POST' | 'DELETE';
  /** With parameters as `:name`. */
  path: string;
  /** Minimum role of the caller. */
  role: Exclude<TokenRole, 'worker'>;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  answers: A;
  /** Returns the body of the answer, or undefined if it has replied itself. */
  handle: (call: RouteCall<Output<P>, Output<Q>, Output<B>>) => Promise<BodyOf<A> | undefined>;
}

/** Infers the handler's types from a declaration's schemas. */
export function route<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  A extends Answers = Answers,
>(declaration: RouteDeclaration<P, Q, B, A>): RouteDeclaration {
  return declaration;
}

export function register(
  app: FastifyInstance,
  authenticator: Authenticator,
  declaration: RouteDeclaration,
): void {
  const { method, path, role, params, query, body, handle } = declaration;
  app.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const identity = await authenticate(authenticator, request.headers.authorization, role);
      const answer = await handle({
        params: read(params, request.params, 'path'),
        query: read(query, request.query, 'query'),
        body: read(body, request.body ?? {}, 'body'),
        identity,
        request,
        reply,
      });
      return answer === undefined ? reply : answer;
    },
  });
}

export const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

/** Authenticates a request by its Authorization header. Throws a 401 or 403 `ProblemError`. */
export async function authenticate(
  authenticator: Authenticator,
  header: string | undefined,
  role: TokenRole,
): Promise<Identity> {
  const token = bearerToken(header);
  if (token === undefined) {
    throw new ProblemError('hub_token_missing', 'Send a token: "Authorization: Bearer <token>".');
  }
  const identity = token.length <= 1024 ? await authenticator.identify(token) : undefined;
  if (!identity) {
    throw new ProblemError(
      'hub_token_refused',
      'The token is unknown, revoked or expired; ask the hub’s operator for a new one.',
    );
  }
  if (!mayActAs(identity.role, role)) {
    throw new ProblemError(
      'hub_not_allowed',
      `This requires a token of role ${role}; yours is ${identity.role}.`,
    );
  }
  return identity;
}

const read = (schema: z.ZodType | undefined, value: unknown, where: string): unknown =>
  schema && readInput(schema, value, where);

/** Parses a value by its schema. Throws a 400 `ProblemError`; `where` names the value if it has no fields. */
export function readInput<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = issuesOf(parsed.error, where);
  const first = errors[0];
  throw new ProblemError(
    'hub_request_invalid',
    `${first?.field ?? where}: ${first?.detail ?? 'invalid'}`,
    errors,
  );
}
