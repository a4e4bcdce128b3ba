/**
 * Defines execution events, which describe the activity of a task while it runs. `text` must be understandable alone, because the public
 * hub's dashboard shows little else.
 */
import * as z from 'zod';
import { MAX_BATCHED_EVENTS, MAX_EVENT_DETAILS } from './limits.ts';

export const eventTypes = [
  'status',
  'token',
  'tool_call',
  'stdout',
  'stderr',
  'verification',
  'plan',
  'error',
] as const;

/** A model call, with the durations of its phases in whole milliseconds. Their sum is `duration_ms` of the event. */
export const modelCallSchema = z.looseObject({
  id: z.string(),
  /** State of the call. With `writing`, the event's text is a piece of the model's answer. */
  phase: z.enum(['started', 'writing', 'finished']),
  kind: z.enum(['load', 'answer']),
  /** Time spent waiting for a free slot, for the server's queue and for the network. */
  wait_ms: z.number().int().optional(),
  load_ms: z.number().int().optional(),
  /** Time in which the model read the prompt. */
  read_ms: z.number().int().optional(),
  write_ms: z.number().int().optional(),
  tokens_in: z.number().int().optional(),
  /** Number of tokens in `tokens_in` that were cached, if the server reports it. */
  tokens_cached: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
});
export type ModelCall = z.output<typeof modelCallSchema>;

/** Totals of a worker's ledger for a task, over all its attempts on that worker. */
export const usageSchema = z.looseObject({
  tokens_in: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
  cost_usd: z.number().optional(),
  /** Number of model calls. */
  iterations: z.number().int().optional(),
});
export type UsageReport = z.output<typeof usageSchema>;

/** A detail of an event: a message of a prompt, a diff, the output of a failing check. */
export const eventDetailSchema = z.looseObject({ title: z.string(), text: z.string() });
export type EventDetail = z.output<typeof eventDetailSchema>;

const eventShape = {
  event_type: z.enum(eventTypes),
  text: z.string(),
  /** Tokens of prompts and answers that the task has used so far, in all its iterations. */
  tokens_so_far: z.number().int().optional(),
  cost_usd_so_far: z.number().optional(),
  model: z.string().optional(),
  /** Time of the event in milliseconds since the epoch. */
  timestamp: z.number().int().optional(),
  /** Number of the event within its task, from 1, so that a reader can order events and detect missing ones. */
  seq: z.number().int().optional(),
  /** Reason why the task is on hold from now on. An empty text means that the task continues. */
  on_hold: z.string().optional(),
  call_id: z.string().optional(),
  tool_name: z.string().optional(),
  phase: z.enum(['started', 'finished']).optional(),
  args_summary: z.string().optional(),
  result_summary: z.string().optional(),
  success: z.boolean().optional(),
  /** Whether a small error in the model's call was repaired, or its arguments were converted to other types. */
  repaired: z.boolean().optional(),
  duration_ms: z.number().int().optional(),
  /**
   * Totals of the ledger, if they have changed; only for hubs that announced `used`. A cancelled task sends no result, so its last event
   * has the totals. The hub's API returns the totals of all attempts instead.
   */
  used: usageSchema.optional(),
  /** Number of the iteration, from 1. */
  iteration: z.number().int().optional(),
  /** Whether the event only reports that the task waits. A connection that may send only few more frames can drop it. */
  droppable: z.boolean().optional(),
  /** The model call that the event belongs to; only for hubs that announced `event_batch`. */
  model_call: modelCallSchema.optional(),
  /** Details that a user sees after opening the event; only for hubs that announced `event_details`. Lists and streams omit them. */
  details: z.array(eventDetailSchema).max(MAX_EVENT_DETAILS).optional(),
};

/** An execution event. Unknown fields are retained, because dashboards of other hubs may use them. */
export const executionEventSchema = z.looseObject(eventShape);
export type ExecutionEvent = z.output<typeof executionEventSchema>;

/**
 * Frame that carries execution events. For hubs that announced `event_batch`, `events` contains several events in order; other hubs read
 * `text`.
 */
export const executionEventFrameSchema = z.looseObject({
  ...eventShape,
  events: z.array(executionEventSchema).max(MAX_BATCHED_EVENTS).optional(),
});
