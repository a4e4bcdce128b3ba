/** Zod schemas of the API's answers, the source of its OpenAPI document. */
import * as z from 'zod';
import { attemptEndings } from '../queue/attempts.ts';
import { approvalStatuses, eventKinds, shownStatuses, tokenRoles } from '../storage/tables.ts';

/** Outcomes that are finer than a task's state; lists can be filtered by these outcomes. */
export const outcomeFilters = ['unverified', 'not_done'] as const;
export type OutcomeFilter = (typeof outcomeFilters)[number];

export const timeSchema = z.number().int().describe('Milliseconds since the epoch');

/** Usage of an attempt; for a task, the sum over all attempts. */
const usageTotalsSchema = z.object({
  tokens_in: z.number().int().nullable(),
  tokens_out: z.number().int().nullable(),
  estimated_cost_usd: z.number().nullable(),
  iterations_used: z.number().int().nullable(),
});

const attemptSchema = z.object({
  generation: z.number().int().describe('Number of the assignment; increases with each assignment'),
  worker_id: z.string(),
  model: z.string().nullable(),
  started_at: timeSchema,
  ended_at: timeSchema.nullable(),
  ending: z
    .string()
    .nullable()
    .describe(`${Object.keys(attemptEndings).join(', ')}; null while it runs`),
  error: z.string().nullable(),
  ...usageTotalsSchema.shape,
});

export const taskSummarySchema = z.object({
  task_id: z.string(),
  title: z.string().describe('First line of the description'),
  status: z.enum(shownStatuses).describe('asks: the task runs and waits for a user’s answer'),
  priority: z.number().int(),
  repo: z.string().nullable(),
  labels: z.array(z.string()),
  model: z.string().nullable().describe('The model that was used, or else the requested model'),
  agent_id: z.string().nullable().describe('The only worker that may run the task'),
  worker_id: z.string().nullable(),
  generation: z.number().int(),
  failures: z.number().int().describe('Failed attempts since the last retry by a user'),
  max_attempts: z.number().int(),
  progress: z.number().int().nullable(),
  on_hold: z
    .object({ reason: z.string(), since: timeSchema })
    .nullable()
    .describe('Set while the running task waits because its model server is down'),
  asks: z
    .object({
      approval_id: z.string(),
      kind: z.string(),
      summary: z.string().describe('The beginning of the request'),
      since: timeSchema,
    })
    .nullable()
    .describe('The oldest open request'),
  not_before: timeSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  assigned_at: timeSchema.nullable(),
  accepted_at: timeSchema.nullable(),
  finished_at: timeSchema.nullable(),
  error: z.string().nullable(),
  ...usageTotalsSchema.shape,
  worked_ms: z.number().int().describe('Total duration of all ended attempts'),
  verification_status: z.string().nullable(),
  not_done: z.boolean().describe('The result is partial and no check passes: shown as “not done”'),
  termination_reason: z.string().nullable(),
  has_follow_up: z.boolean(),
  follow_up_of: z.string().nullable(),
  follow_up_task_id: z.string().nullable(),
  submitted_by: z.string(),
  seq: z.number().int().describe('Order of submission'),
});

export const approvalSchema = z.object({
  task_id: z.string(),
  approval_id: z.string(),
  kind: z.string(),
  summary: z.string(),
  status: z.enum(approvalStatuses),
  text: z.string().nullable(),
  created_at: timeSchema,
  answered_at: timeSchema.nullable(),
  answered_by: z.string().nullable(),
});

export const steerSchema = z.object({
  steer_id: z.number().int(),
  text: z.string(),
  created_at: timeSchema,
  created_by: z.string(),
  delivered_at: timeSchema.nullable(),
});

const listedTaskSchema = taskSummarySchema.extend({
  waiting_for: z.string().nullable().describe('Reason why a queued task has not started'),
});

export const taskDetailSchema = listedTaskSchema.extend({
  content: z.record(z.string(), z.unknown()).describe('The submission, as sent to the worker'),
  result: z.record(z.string(), z.unknown()).nullable(),
  verification_report: z.record(z.string(), z.unknown()).nullable(),
  attempts: z.array(attemptSchema).describe('Oldest first'),
  approvals: z.array(approvalSchema),
  steering: z.array(steerSchema),
  last_event_id: z.number().int(),
});

export const taskListSchema = z.object({
  tasks: z.array(listedTaskSchema),
  next_before: z.number().int().nullable().describe('Pass as `before` to get the next page'),
  total: z
    .number()
    .int()
    .describe(
      'Number of matching tasks, at most 10,000. For filters without an index: the number of matching tasks from `before` on that the search found within its time limit',
    ),
  last_event_id: z.number().int().describe('Pass as `after` to /api/events to continue from this list'),
});

export const eventSchema = z.object({
  id: z.number().int().describe('Sequence number, ascending over all tasks'),
  task_id: z.string(),
  at: timeSchema,
  generation: z.number().int(),
  kind: z.enum(eventKinds),
  body: z
    .record(z.string(), z.unknown())
    .describe(
      'Depends on `kind`. execution: an execution event (`has_details`: details are stored); task: a summary of the task and the reason of the change; approval: an approval request; steer: a steering message',
    ),
});
export const eventListSchema = z.object({
  events: z.array(eventSchema),
  next_after: z.number().int().describe('Pass as `after` to get the next page'),
  more: z.boolean(),
});

export const workerSchema = z.object({
  agent_id: z.string(),
  name: z.string(),
  connected: z.boolean(),
  draining: z.boolean(),
  not_ready: z
    .string()
    .nullable()
    .describe('Reason why the worker accepts no tasks; null if it accepts tasks'),
  needs_model: z
    .string()
    .nullable()
    .describe('Reason why the worker accepts only tasks that name a model; null if it accepts all tasks'),
  notice: z
    .string()
    .nullable()
    .describe('A problem that does not stop the worker from accepting tasks; null if there is none'),
  capacity: z.number().int(),
  load: z.number().int(),
  tasks: z
    .array(z.object({ task_id: z.string(), title: z.string() }))
    .describe('Current tasks of the worker'),
  labels: z.array(z.string()),
  models: z.array(z.string()),
  version: z.string().nullable(),
  outdated: z.boolean().describe('The worker’s version is lower than the hub’s'),
  model: z.string().nullable().describe('The model of the worker’s last call since the worker connected'),
  tokens_per_second: z.number().nullable().describe('Generation speed of the worker’s last call'),
  last_error: z
    .object({ text: z.string(), at: timeSchema })
    .nullable()
    .describe('The last failed attempt since the worker connected'),
  sandbox: z.string().nullable(),
  ollama_url: z.string().nullable(),
  connected_at: timeSchema.nullable(),
  last_seen_at: timeSchema,
  resources: z.record(z.string(), z.number().nullable()).nullable(),
});

export const meSchema = z.object({ name: z.string(), role: z.enum(tokenRoles) });

export const statsSchema = z.object({
  tasks: z.record(z.enum(shownStatuses), z.number().int()),
  outcomes: z.record(z.enum(outcomeFilters), z.number().int()),
  workers: z.object({
    connected: z.number().int(),
    draining: z.number().int(),
    capacity: z.number().int(),
    load: z.number().int(),
  }),
  totals: z.object({
    tokens_in: z.number().int(),
    tokens_out: z.number().int(),
    estimated_cost_usd: z.number(),
  }),
  streams: z.number().int(),
  started_at: timeSchema,
});
