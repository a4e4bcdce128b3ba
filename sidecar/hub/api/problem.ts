/** Errors of the HTTP API: `application/problem+json` (RFC 9457) with a stable code and a remedy. */
import type { FastifyReply } from 'fastify';
import * as z from 'zod';

/** All error codes of the API, with HTTP status and title (listed in docs/ERRORS.md). */
export const problems = {
  hub_request_invalid: { status: 400, title: 'The request is invalid' },
  hub_token_missing: { status: 401, title: 'The token is missing' },
  hub_token_refused: { status: 401, title: 'The token is invalid' },
  hub_not_allowed: { status: 403, title: 'The token lacks the permission' },
  hub_origin: { status: 403, title: 'Requests from pages of other sites are refused' },
  hub_not_found: { status: 404, title: 'Unknown route' },
  hub_task_not_found: { status: 404, title: 'Unknown task' },
  hub_event_not_found: { status: 404, title: 'Unknown event' },
  hub_worker_not_found: { status: 404, title: 'Unknown worker' },
  hub_token_not_found: { status: 404, title: 'Unknown token' },
  hub_approval_not_found: { status: 404, title: 'Unknown approval request' },
  hub_method: { status: 405, title: 'The method is not supported' },
  hub_task_state: { status: 409, title: 'The task’s state does not allow this request' },
  hub_approval_answered: { status: 409, title: 'The approval request is already answered' },
  hub_no_follow_up: { status: 409, title: 'The result has no follow-up' },
  hub_body_too_large: { status: 413, title: 'The body is too large' },
  hub_media_type: { status: 415, title: 'The body is not JSON' },
  hub_idempotency_conflict: { status: 422, title: 'The idempotency key was used for another submission' },
  hub_too_many_streams: { status: 503, title: 'Too many streams are open' },
  hub_disk_full: { status: 507, title: 'The disk of the hub is full' },
  hub_internal: { status: 500, title: 'Internal error of the hub' },
} as const;
type ProblemCode = keyof typeof problems;

export const problemSchema = z.object({
  type: z.string().describe('urn:ollama-sidecar:error:<code>'),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string().describe('The problem and its remedy'),
  errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
});

/** An expected refusal, thrown by handlers and converted to an answer in one place. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: { field: string; detail: string }[] | undefined;

  constructor(code: ProblemCode, detail: string, errors?: { field: string; detail: string }[]) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.errors = errors;
  }
}

export function sendProblem(reply: FastifyReply, error: ProblemError): FastifyReply {
  const { status, title } = problems[error.code];
  const body = {
    type: `urn:ollama-sidecar:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
  };
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="ollama-sidecar"');
  return reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify(error.errors ? { ...body, errors: error.errors } : body));
}
