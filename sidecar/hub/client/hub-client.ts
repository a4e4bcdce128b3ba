/**
 * Client of the hub's HTTP API. Every failure becomes a `HubError` with a remedy. Every wait is limited except the
 * event stream, which ends with the task or with the caller's signal.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../base/ports.ts';
import { createTimeoutSignal, systemClock } from '../../base/system/clock.ts';
import { followEvents, hubEventSchema, type EventStreamOptions } from './event-stream.ts';
import { retryIfInterrupted, readAnswer, requestHub } from './hub-request.ts';

export type { HubEvent } from './event-stream.ts';

const REQUEST_TIMEOUT_MS = 30_000;
/** Silence after which a stream counts as lost: three keep-alives of the hub. */
const STREAM_SILENCE_MS = 45_000;

const END_STATUSES = new Set(['success', 'partial', 'dead_letter', 'cancelled']);
/** Returns whether a task's status is final. */
export const hasEnded = (status: unknown): boolean => END_STATUSES.has(String(status));

export const taskSummarySchema = z.looseObject({
  task_id: z.string(),
  title: z.string(),
  status: z.string(),
  priority: z.number().nullish(),
  worker_id: z.string().nullish(),
  model: z.string().nullish(),
  created_at: z.number(),
  assigned_at: z.number().nullish(),
  finished_at: z.number().nullish(),
  error: z.string().nullish(),
  tokens_in: z.number().nullish(),
  tokens_out: z.number().nullish(),
  estimated_cost_usd: z.number().nullish(),
  iterations_used: z.number().nullish(),
  worked_ms: z.number().nullish(),
  submitted_by: z.string().nullish(),
  verification_status: z.string().nullish(),
  on_hold: z.looseObject({ reason: z.string(), since: z.number() }).nullish(),
  /** The task's oldest open request. */
  asks: z.looseObject({ kind: z.string(), summary: z.string(), since: z.number() }).nullish(),
  /** Why a queued task has not started; in lists and details. */
  waiting_for: z.string().nullish(),
  /** True if the result is partial and no check passes. */
  not_done: z.boolean().nullish(),
  termination_reason: z.string().nullish(),
  follow_up_task_id: z.string().nullish(),
});
export type TaskSummary = z.output<typeof taskSummarySchema>;
const taskListSchema = z.object({ tasks: z.array(taskSummarySchema) });

const approvalSchema = z.looseObject({
  approval_id: z.string(),
  kind: z.string(),
  status: z.string(),
  summary: z.string(),
});

const taskDetailSchema = taskSummarySchema.extend({
  result: z.record(z.string(), z.unknown()).nullish(),
  repo: z.string().nullish(),
  approvals: z.array(approvalSchema).nullish(),
  /** Sequence number of the last event before this answer. */
  last_event_id: z.number().nullish(),
});
export type TaskDetail = z.output<typeof taskDetailSchema>;

const statsSchema = z.looseObject({
  tasks: z.record(z.string(), z.number()),
  workers: z.looseObject({ connected: z.number(), capacity: z.number(), load: z.number() }),
});

const workerSchema = z.looseObject({
  agent_id: z.string(),
  connected: z.boolean(),
  draining: z.boolean(),
  not_ready: z.string().nullish(),
  needs_model: z.string().nullish(),
  capacity: z.number(),
  load: z.number(),
  version: z.string().nullish(),
  /** True if the worker's version is lower than the hub's. */
  outdated: z.boolean().nullish(),
  models: z.array(z.string()),
  labels: z.array(z.string()),
});
export type HubWorker = z.output<typeof workerSchema>;
const workerListSchema = z.object({ workers: z.array(workerSchema) });

const steerSchema = z.looseObject({ steer_id: z.number(), text: z.string() });

const budgetSchema = z.looseObject({
  per: z.string(),
  name: z.string(),
  used_tokens: z.number(),
  max_tokens: z.number().nullish(),
  used_usd: z.number(),
  max_usd: z.number().nullish(),
  used_up: z.boolean(),
  starts_again_at: z.number(),
});
const overviewSchema = z.object({
  budgets: z.array(budgetSchema).default([]),
});

const eventPageSchema = z.object({
  events: z.array(hubEventSchema),
  next_after: z.number(),
  more: z.boolean(),
});
const tokenSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  created_at: z.number(),
  last_used_at: z.number().nullish(),
  expires_at: z.number().nullish(),
});
export type TokenInfo = z.output<typeof tokenSchema>;
const tokenListSchema = z.object({ tokens: z.array(tokenSchema) });
const newTokenSchema = tokenSchema.extend({ token: z.string() });

const EVENTS_PER_PAGE = 1_000;

export type HubClient = ReturnType<typeof createHubClient>;

export interface HubAddress {
  /** Address of the hub, with http or https. */
  url: string;
  token: string | undefined;
  /** How long an event stream may be silent before it is reopened. */
  streamSilenceMs?: number;
  /** Clock for the delays before a reconnect. */
  clock?: Clock;
}

/** Creates a client of a hub. Its methods reject with `HubError`. */
export function createHubClient({
  url,
  token,
  streamSilenceMs: silenceMs = STREAM_SILENCE_MS,
  clock = systemClock,
}: HubAddress) {
  const call = async <T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> => {
    const response = await requestHub(url, path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
      signal: createTimeoutSignal(REQUEST_TIMEOUT_MS),
    });
    return readAnswer(url, response, schema);
  };
  const getJson = <T>(schema: z.ZodType<T>, path: string): Promise<T> => call(schema, 'GET', path);
  const formatTaskPath = (id: string, rest = '') => `/api/tasks/${encodeURIComponent(id)}${rest}`;
  return {
    url,
    /**
     * Submits a task with an idempotency key, its own or a new one, so that a repeated request creates no second task.
     */
    submit(task: object) {
      const body = { idempotency_key: randomUUID(), ...task };
      return retryIfInterrupted(() => call(taskSummarySchema, 'POST', '/api/tasks', body));
    },
    task: (id: string) => getJson(taskDetailSchema, formatTaskPath(id)),
    tasks: async (query: Record<string, string>) =>
      (await getJson(taskListSchema, `/api/tasks?${new URLSearchParams(query).toString()}`)).tasks,
    stats: () => getJson(statsSchema, '/api/stats'),
    /** Returns all workers of the hub, connected ones first. */
    workers: async () => (await getJson(workerListSchema, '/api/workers')).workers,
    /** Returns the daily budgets with today's usage. */
    budgets: async () => (await getJson(overviewSchema, '/api/overview?days=1')).budgets,
    /** Returns one page of a task's events after a sequence number. */
    eventPage: (id: string, after: number) =>
      getJson(eventPageSchema, formatTaskPath(id, `/events?after=${after}&limit=${EVENTS_PER_PAGE}`)),
    cancel: (id: string) => call(taskSummarySchema, 'POST', formatTaskPath(id, '/cancel'), {}),
    /** Requeues a failed or cancelled task. */
    retry: (id: string) => call(taskSummarySchema, 'POST', formatTaskPath(id, '/retry'), {}),
    /** Sends a text to the model of a task that has not ended. */
    steer: (id: string, text: string) => call(steerSchema, 'POST', formatTaskPath(id, '/steer'), { text }),
    answer: (id: string, answer: { approval_id: string; decision: string; text?: string }) =>
      call(approvalSchema, 'POST', formatTaskPath(id, '/approvals'), answer),
    /** Drains a worker, which then finishes its tasks and gets no new ones; with `drain` false, resumes the worker. */
    drain: (workerId: string, drain: boolean) =>
      call(workerSchema, 'POST', `/api/workers/${encodeURIComponent(workerId)}/drain`, { drain }),
    followUp: (id: string) =>
      retryIfInterrupted(() => call(taskSummarySchema, 'POST', formatTaskPath(id, '/follow-up'), {})),
    /** Creates a token; a token for a worker is bound to the worker's name. */
    issueToken: ({
      role,
      name,
      expiresInDays: days,
    }: {
      role: string;
      name: string;
      expiresInDays?: number;
    }) =>
      call(newTokenSchema, 'POST', '/api/tokens', {
        role,
        name,
        ...(role === 'worker' && { agent_id: name }),
        ...(days !== undefined && { expires_in_days: days }),
      }),
    /** Returns the issued tokens, oldest first, without their secrets. */
    tokens: async () => (await getJson(tokenListSchema, '/api/tokens')).tokens,
    /** Revokes a token and closes the connections and streams that use it. */
    revokeToken: (id: string) => call(tokenSchema, 'DELETE', `/api/tokens/${encodeURIComponent(id)}`),
    /** Yields all events of a task (after an event id, if given), then live ones; reconnects. */
    events: (id: string, options: EventStreamOptions) =>
      followEvents({ url, token, silenceMs, clock, path: formatTaskPath(id, '/events') }, options),
  };
}
