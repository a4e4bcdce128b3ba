/**
 * The hub's HTTP API. Every failure becomes a `HubError` with what to do; every wait has an end but the event stream,
 * which ends with the task or with the caller's signal.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { sleep, systemClock } from '../system/clock.ts';
import { parseJson } from '../values/json.ts';
import type { Clock } from '../ports.ts';
import { sendRequest, type HttpAnswer, type HttpRequest } from './http-request.ts';
import { HubError } from './hub-error.ts';

const REQUEST_TIMEOUT_MS = 30_000;
/** After three missed keep-alives of the hub a stream counts as lost. */
const STREAM_SILENCE_MS = 45_000;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);
/** Whether a status of a task is its last one. */
export const hasEnded = (status: unknown): boolean => ENDED.has(String(status));

export const taskSummarySchema = z.looseObject({
  task_id: z.string(),
  title: z.string(),
  status: z.string(),
  worker_id: z.string().nullish(),
  model: z.string().nullish(),
  created_at: z.number(),
  assigned_at: z.number().nullish(),
  finished_at: z.number().nullish(),
  error: z.string().nullish(),
  tokens_in: z.number().nullish(),
  tokens_out: z.number().nullish(),
  estimated_cost_usd: z.number().nullish(),
  verification_status: z.string().nullish(),
  termination_reason: z.string().nullish(),
  follow_up_task_id: z.string().nullish(),
});
export type TaskSummary = z.output<typeof taskSummarySchema>;
const taskListSchema = z.object({ tasks: z.array(taskSummarySchema) });

const taskDetailSchema = taskSummarySchema.extend({
  result: z.record(z.string(), z.unknown()).nullish(),
  waiting_for: z.string().nullish(),
  repo: z.string().nullish(),
  approvals: z.array(z.looseObject({ status: z.string(), summary: z.string() })).nullish(),
  /** Events with a higher number came after what is told here. */
  last_event_id: z.number().nullish(),
});
export type TaskDetail = z.output<typeof taskDetailSchema>;

const hubEventSchema = z.looseObject({
  id: z.number(),
  kind: z.string(),
  at: z.number(),
  body: z.record(z.string(), z.unknown()),
});
export type HubEvent = z.output<typeof hubEventSchema>;

const statsSchema = z.looseObject({
  tasks: z.record(z.string(), z.number()),
  workers: z.looseObject({ connected: z.number(), capacity: z.number(), load: z.number() }),
});
export type HubStats = z.output<typeof statsSchema>;

const workerSchema = z.looseObject({
  agent_id: z.string(),
  connected: z.boolean(),
  draining: z.boolean(),
  not_ready: z.string().nullish(),
  capacity: z.number(),
  load: z.number(),
  models: z.array(z.string()),
  labels: z.array(z.string()),
});
export type HubWorker = z.output<typeof workerSchema>;
const workerListSchema = z.object({ workers: z.array(workerSchema) });

const waitingSchema = z.looseObject({ count: z.number(), reason: z.string() });
export type WaitingTasks = z.output<typeof waitingSchema>;
const overviewSchema = z.object({ waiting: z.array(waitingSchema) });

const eventPageSchema = z.object({
  events: z.array(hubEventSchema),
  next_after: z.number(),
  more: z.boolean(),
});
type EventPage = z.output<typeof eventPageSchema>;
const EVENTS_PER_PAGE = 1_000;

export interface HubClient {
  readonly url: string;
  /** Sends an idempotency key (the task's own or a new one), so that sending again after a cut connection makes no second task. */
  submit(task: object): Promise<TaskSummary>;
  task(id: string): Promise<TaskDetail>;
  tasks(query: Record<string, string>): Promise<TaskSummary[]>;
  stats(): Promise<HubStats>;
  /** Every worker that the hub knows, connected ones first. */
  workers(): Promise<HubWorker[]>;
  /** Queued tasks with the same needs, and what they wait for. */
  waiting(): Promise<WaitingTasks[]>;
  /** The events of a task after a sequence number, one page. */
  eventPage(id: string, after: number): Promise<EventPage>;
  cancel(id: string): Promise<TaskSummary>;
  followUp(id: string): Promise<TaskSummary>;
  /** Makes a token; a worker's is bound to its id. */
  issueToken(role: string, agentId?: string): Promise<{ token: string }>;
  /** All events of a task from the beginning (or after an id), then live; reconnects by itself. */
  events(id: string, options: { signal: AbortSignal; after?: number }): AsyncGenerator<HubEvent>;
}

export interface HubAddress {
  /** http or https. */
  url: string;
  /** Sent as bearer token. */
  token: string | undefined;
  /** How long a stream of events may be silent before it is opened anew. */
  streamSilenceMs?: number;
  /** Measures the waits before a new connection. */
  clock?: Clock;
}

/** A client for the hub at an address. */
export function createHubClient({
  url,
  token,
  streamSilenceMs: silenceMs = STREAM_SILENCE_MS,
  clock = systemClock,
}: HubAddress): HubClient {
  const call = async <T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> => {
    const response = await request(url, path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return readAnswer(url, response, schema);
  };
  const get = <T>(schema: z.ZodType<T>, path: string): Promise<T> => call(schema, 'GET', path);
  const taskPath = (id: string, rest = '') => `/api/tasks/${encodeURIComponent(id)}${rest}`;
  return {
    url,
    submit: (task) => {
      const body = { idempotency_key: randomUUID(), ...task };
      return againWhenCut(() => call(taskSummarySchema, 'POST', '/api/tasks', body));
    },
    task: (id) => get(taskDetailSchema, taskPath(id)),
    tasks: async (query) =>
      (await get(taskListSchema, `/api/tasks?${new URLSearchParams(query).toString()}`)).tasks,
    stats: () => get(statsSchema, '/api/stats'),
    workers: async () => (await get(workerListSchema, '/api/workers')).workers,
    waiting: async () => (await get(overviewSchema, '/api/overview?days=1')).waiting,
    eventPage: (id, after) =>
      get(eventPageSchema, taskPath(id, `/events?after=${after}&limit=${EVENTS_PER_PAGE}`)),
    cancel: (id) => call(taskSummarySchema, 'POST', taskPath(id, '/cancel'), {}),
    followUp: (id) => againWhenCut(() => call(taskSummarySchema, 'POST', taskPath(id, '/follow-up'), {})),
    issueToken: (role, agentId) =>
      call(z.object({ token: z.string() }), 'POST', '/api/tokens', {
        role,
        ...(agentId === undefined ? {} : { agent_id: agentId }),
      }),
    events: (id, options) =>
      followEvents({ url, token, silenceMs, clock, path: taskPath(id, '/events') }, options),
  };
}

async function request(base: string, path: string, init: HttpRequest): Promise<HttpAnswer> {
  let response: HttpAnswer;
  try {
    response = await sendRequest(new URL(path, base), init);
  } catch (error) {
    throw new HubUnreachableError(base, causeOf(error));
  }
  if (response.ok) return response;
  throw await problemOf(base, response);
}

/** There was no answer, or only part of one. `cause`: the system's code where there is one. */
class HubUnreachableError extends HubError {
  /** The connection was lost after it stood: the hub may or may not have handled the request. */
  readonly cut: boolean;

  constructor(base: string, cause: string) {
    super('unreachable', 'hub_unreachable', {
      what: `The hub at ${base} does not answer (${cause}).`,
      advice: 'Start one with `ollama-sidecar hub`, or name another with --hub.',
    });
    this.cut = /^(ECONNRESET|EPIPE)$/u.test(cause);
  }
}

async function readAnswer<T>(base: string, response: HttpAnswer, schema: z.ZodType<T>): Promise<T> {
  const body = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw new HubUnreachableError(base, causeOf(error));
  });
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw notAHub(base);
}

const notAHub = (base: string, how = ''): HubError =>
  new HubError('failed', 'hub_error', {
    what: `What answers at ${base}${how} is not the API of a hub.`,
    advice: 'Check the address: is a proxy in between?',
  });

/** Repeats a request that may arrive twice until it is answered. Does not wait for a hub that was never reached. */
async function againWhenCut<T>(send: () => Promise<T>): Promise<T> {
  let wasCut = false;
  for (const delayMs of RECONNECT_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HubUnreachableError)) throw error;
      wasCut ||= error.cut;
      if (!wasCut) throw error;
    }
    await sleep(systemClock, delayMs);
  }
  return send();
}

/** The code of the socket's error, or why the request was aborted. By shape: it may come from another realm. */
function causeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? cause);
}

const problemSchema = z.looseObject({ code: z.string(), title: z.string(), detail: z.string().optional() });

async function problemOf(base: string, response: HttpAnswer): Promise<HubError> {
  const parsed = problemSchema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) return notAHub(base, ` (HTTP ${response.status})`);
  const problem = parsed.data;
  const text = `${problem.title}. ${problem.detail ?? ''}`.trim();
  if (response.status === 401 || response.status === 403) {
    return new HubError('refused', problem.code, {
      what: `The hub at ${base} refused the request: ${text}`,
      advice: 'Give a token with --token-file or SIDECAR_HUB_API_TOKEN.',
    });
  }
  return new HubError(response.status >= 500 ? 'failed' : 'request', problem.code, { what: text });
}

interface EventSource {
  url: string;
  token: string | undefined;
  silenceMs: number;
  clock: Clock;
  path: string;
}

/** Waits between two tries of a broken stream. */
const RECONNECT_MS = [200, 500, 1000, 2000, 5000];
/** A stream that was heard for so long was a good one, though it had no event. */
const STEADY_MS = 10_000;

async function* followEvents(
  source: EventSource,
  { signal, after = 0 }: { signal: AbortSignal; after?: number },
): AsyncGenerator<HubEvent> {
  let lastId = after;
  for (let failures = 0; !signal.aborted;) {
    let heardMs: number | undefined;
    const onBytes = (): void => {
      const nowMs = source.clock.monotonicMs();
      heardMs ??= nowMs;
      // A quiet task is no broken line.
      if (nowMs - heardMs >= STEADY_MS) failures = 0;
    };
    try {
      for await (const event of openStream(source, lastId, { signal, onBytes })) {
        failures = 0;
        lastId = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof HubError ? error : new HubUnreachableError(source.url, causeOf(error));
      if (failure.trouble !== 'unreachable' || failures >= RECONNECT_MS.length) throw failure;
    }
    await sleep(source.clock, RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0, signal);
    failures += 1;
  }
}

async function* openStream(
  source: EventSource,
  after: number,
  { signal, onBytes }: { signal: AbortSignal; onBytes: () => void },
): AsyncGenerator<HubEvent> {
  const response = await request(source.url, `${source.path}?after=${after}`, {
    headers: {
      accept: 'text/event-stream',
      ...(source.token ? { authorization: `Bearer ${source.token}` } : {}),
    },
    signal,
    silenceMs: source.silenceMs,
  });
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of response.body) {
    onBytes();
    pending += decoder.decode(chunk, { stream: true });
    if (pending.length > MAX_EVENT_BYTES)
      throw new HubError('failed', 'hub_error', { what: 'The hub sent an event larger than 16 MiB.' });
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

/** One server-sent event; comments and what cannot be read are skipped. */
function parseBlock(block: string): HubEvent | undefined {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
  return hubEventSchema.safeParse(parseJson(data)).data;
}
