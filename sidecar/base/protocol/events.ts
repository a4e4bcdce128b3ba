/**
 * Execution events: the activity of a task while it runs.
 * `text` must be readable alone, because the public hub's dashboard shows little else.
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

/** Durations of the phases of a model call in whole milliseconds. Their sum is `duration_ms`. */
export const modelCallSchema = z.looseObject({
  id: z.string(),
  /** `writing`: the event's text is a piece of the answer. */
  phase: z.enum(['started', 'writing', 'finished']),
  kind: z.enum(['load', 'answer']),
  /** Waiting for a free slot, the server's queue and the network. */
  wait_ms: z.number().int().optional(),
  load_ms: z.number().int().optional(),
  /** Reading the prompt. */
  read_ms: z.number().int().optional(),
  write_ms: z.number().int().optional(),
  tokens_in: z.number().int().optional(),
  /** Part of `tokens_in` that was cached, if the server reports it. */
  tokens_cached: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
});
export type ModelCall = z.output<typeof modelCallSchema>;

/** Totals of a worker's ledger for a task, over all its attempts on that worker. */
export const usageSchema = z.looseObject({
  tokens_in: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
  cost_usd: z.number().optional(),
  /** Calls of models. */
  iterations: z.number().int().optional(),
});
export type UsageReport = z.output<typeof usageSchema>;

/** A detail of an event: a message of a prompt, a diff, the output of a failing check. */
export const eventDetailSchema = z.looseObject({ title: z.string(), text: z.string() });
export type EventDetail = z.output<typeof eventDetailSchema>;

const eventShape = {
  event_type: z.enum(eventTypes),
  text: z.string(),
  /** Tokens that the task has used until now, prompts and answers, over all its rounds. */
  tokens_so_far: z.number().int().optional(),
  cost_usd_so_far: z.number().optional(),
  model: z.string().optional(),
  /** Milliseconds since the epoch. */
  timestamp: z.number().int().optional(),
  /** Counts up per task from 1, so that a reader can order events and see a gap. */
  seq: z.number().int().optional(),
  /** The reason why the task waits from now on; empty: it continues. */
  on_hold: z.string().optional(),
  call_id: z.string().optional(),
  tool_name: z.string().optional(),
  phase: z.enum(['started', 'finished']).optional(),
  args_summary: z.string().optional(),
  result_summary: z.string().optional(),
  success: z.boolean().optional(),
  /** Whether the model's call had a small error that was repaired, or arguments whose types were converted. */
  repaired: z.boolean().optional(),
  duration_ms: z.number().int().optional(),
  /**
   * Sums of the ledger if they have changed; only for hubs that announced `used`. A cancelled task sends no result, so its last event has
   * the sums. The hub's API returns the sums of all attempts instead.
   */
  used: usageSchema.optional(),
  /** Number of the iteration, from 1. */
  iteration: z.number().int().optional(),
  /** Whether the event reports mere waiting, so that a connection with few frames left may drop it. */
  droppable: z.boolean().optional(),
  /** The model call that the event belongs to; only for hubs that announced `event_batch`. */
  model_call: modelCallSchema.optional(),
  /** Details for a user who opens the event; only for hubs that announced `event_details`. Lists and streams omit the details. */
  details: z.array(eventDetailSchema).max(MAX_EVENT_DETAILS).optional(),
};

/** An execution event. Unknown fields are retained, because dashboards of other hubs may use them. */
export const executionEventSchema = z.looseObject(eventShape);
export type ExecutionEvent = z.output<typeof executionEventSchema>;

/** The event of a frame. For hubs that announced `event_batch`, `events` has several events in order; other hubs read `text`. */
export const executionEventFrameSchema = z.looseObject({
  ...eventShape,
  events: z.array(executionEventSchema).max(MAX_BATCHED_EVENTS).optional(),
});
