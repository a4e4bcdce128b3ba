/**
 * Execution events: what a task does while it runs.
 * `text` alone must read well, since the public hub's dashboard keeps little else.
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

/** Where the time of one call of a model went, in whole milliseconds that add up to `duration_ms`. */
export const modelCallSchema = z.looseObject({
  id: z.string(),
  /** `writing`: the event's text is a piece of the answer. */
  phase: z.enum(['started', 'writing', 'finished']),
  kind: z.enum(['load', 'answer']),
  /** For a free slot, the server's queue and the network. */
  wait_ms: z.number().int().optional(),
  load_ms: z.number().int().optional(),
  /** Reading the prompt. */
  read_ms: z.number().int().optional(),
  write_ms: z.number().int().optional(),
  tokens_in: z.number().int().optional(),
  /** Part of `tokens_in` that was cached, where the server reports it. */
  tokens_cached: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
});
export type ModelCall = z.output<typeof modelCallSchema>;

/** The sums of a worker's ledger for a task since it first had it. */
export const usedSchema = z.looseObject({
  tokens_in: z.number().int().optional(),
  tokens_out: z.number().int().optional(),
  cost_usd: z.number().optional(),
  /** Calls of models. */
  iterations: z.number().int().optional(),
});
export type UsedReport = z.output<typeof usedSchema>;

/** A part of what is behind an event: a message of a prompt, a diff, what a failing check says. */
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
  /** Why the task waits where it is, from now on; empty: it goes on. */
  on_hold: z.string().optional(),
  call_id: z.string().optional(),
  tool_name: z.string().optional(),
  phase: z.enum(['started', 'finished']).optional(),
  args_summary: z.string().optional(),
  result_summary: z.string().optional(),
  success: z.boolean().optional(),
  /** The model's call was nearly right and was mended, or its values were brought into other types. */
  repaired: z.boolean().optional(),
  duration_ms: z.number().int().optional(),
  /**
   * Where it has grown, only to hubs that announced `used`; the last event of a cancelled task, which sends no result, has
   * it. Readers of the hub get the sums of all attempts in its place.
   */
  used: usedSchema.optional(),
  /** From 1. */
  iteration: z.number().int().optional(),
  /** It says only that something takes its time: a line that has little room may leave it out. */
  droppable: z.boolean().optional(),
  /** The event belongs to a call of the model; only for hubs that announced `event_batch`. */
  model_call: modelCallSchema.optional(),
  /** For who opens the event; only for hubs that announced `event_details`, which keep them out of lists and streams. */
  details: z.array(eventDetailSchema).max(MAX_EVENT_DETAILS).optional(),
};

/** One event; additions are kept, since dashboards of other hubs may know them. */
export const executionEventSchema = z.looseObject(eventShape);
export type ExecutionEvent = z.output<typeof executionEventSchema>;

/** Several events in one frame, in order (hubs that announced `event_batch`; others read `text`). */
export const executionEventFrameSchema = z.looseObject({
  ...eventShape,
  events: z.array(executionEventSchema).max(MAX_BATCHED_EVENTS).optional(),
});
