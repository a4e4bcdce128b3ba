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

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Descriptions of answers by HTTP status. */
type ResponseDescriptions = Record<number, { description: string; schema?: z.ZodType; mediaType?: string }>;
/** The body types of the described answers; text if an answer has no schema. */
type BodyOf<A extends ResponseDescriptions> =
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
  A extends ResponseDescriptions = ResponseDescriptions,
> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path of the route, with parameters as `:name`. */
  path: string;
  /** Minimum role of the caller. */
  role: Exclude<TokenRole, 'worker'>;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  answers: A;
  /** Returns the body of the answer, or undefined if the handler has sent the answer itself. */
  handle: (call: RouteCall<OutputOf<P>, OutputOf<Q>, OutputOf<B>>) => Promise<BodyOf<A> | undefined>;
}

/** Infers the handler's types from a declaration's schemas. */
export function declareRoute<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  A extends ResponseDescriptions = ResponseDescriptions,
>(declaration: RouteDeclaration<P, Q, B, A>): RouteDeclaration {
  return declaration;
}

export function registerRoute(
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
        params: readOptionalInput(params, request.params, 'path'),
        query: readOptionalInput(query, request.query, 'query'),
        body: readOptionalInput(body, request.body ?? {}, 'body'),
        identity,
        request,
        reply,
      });
      return answer === undefined ? reply : answer;
    },
  });
}

export const parseBearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

/** Authenticates a request by its Authorization header. Throws a 401 or 403 `ProblemError`. */
export async function authenticate(
  authenticator: Authenticator,
  header: string | undefined,
  role: TokenRole,
): Promise<Identity> {
  const token = parseBearerToken(header);
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
      `This request requires a token of role ${role}; your token has the role ${identity.role}.`,
    );
  }
  return identity;
}

const readOptionalInput = (schema: z.ZodType | undefined, value: unknown, inputName: string): unknown =>
  schema && readInput(schema, value, inputName);

/**
 * Parses a value by its schema. Throws a 400 `ProblemError`; `inputName` names the value in it if the value has no
 * fields.
 */
export function readInput<T extends z.ZodType>(schema: T, value: unknown, inputName: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = issuesOf(parsed.error, inputName);
  const first = errors[0];
  throw new ProblemError(
    'hub_request_invalid',
    `${first?.field ?? inputName}: ${first?.detail ?? 'invalid'}`,
    errors,
  );
}
